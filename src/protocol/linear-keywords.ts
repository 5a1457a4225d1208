import { _, type Ajv, type CodeGen, type CodeKeywordDefinition, type KeywordCxt, Name } from 'ajv'

/**
 * Findings after which a loop over a list or over members ends with the item at which it is: more than any answer shows, and enough to tell which form
 * of a union was meant. Each schema that is referred to copies the findings below it, so that their number is a factor of the cost of every level.
 */
const MAX_FINDINGS = 100

/** The number of findings so far, in the code that Ajv makes. */
const ERRORS = new Name('errors')

/** Keywords that loop over what was sent, where each failing item makes the keyword fail. */
const LOOPS = ['additionalItems', 'items', 'additionalProperties', 'patternProperties', 'propertyNames']

/** Replaces the keywords of an Ajv whose cost grows faster than what they judge, when all findings are collected. */
export function addLinearKeywords(ajv: Ajv): void {
  for (const keyword of LOOPS) wrap(ajv, keyword, endingLoops)
  wrap(ajv, 'contains', forgettingLoops)
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword(UNIQUE_ITEMS)
}

/** Of a loop: what is done after each item. */
type AfterItem = () => void

function wrap(ajv: Ajv, keyword: string, afterItem: (cxt: KeywordCxt) => AfterItem): void {
  const definition = ajv.getKeyword(keyword)
  if (typeof definition !== 'object' || !('code' in definition)) throw new Error(`Ajv has no code for the keyword ${keyword}`)
  const { code } = definition
  definition.code = (cxt: KeywordCxt, ruleType?: string) =>
    code(cxt.it.allErrors === true ? inLoops(cxt, afterItem(cxt)) : cxt, ruleType)
}

/** The context of a keyword whose own loops do something after each item. Code of the schemas below is made with the context's own generator. */
function inLoops(cxt: KeywordCxt, afterItem: AfterItem): KeywordCxt {
  const { gen } = cxt
  const loops: Pick<CodeGen, 'forRange' | 'forIn'> = {
    forRange: (name, from, to, body, kind) => gen.forRange(name, from, to, followed(body), kind),
    forIn: (name, object, body, kind) => gen.forIn(name, object, followed(body), kind),
  }
  return Object.create(cxt, { gen: { value: Object.assign(Object.create(gen), loops) } })

  function followed<Item>(body: (item: Item) => void): (item: Item) => void {
    return (item) => {
      body(item)
      afterItem()
    }
  }
}

/** Ends a loop that has found something, once there are enough findings. */
function endingLoops({ gen }: KeywordCxt): AfterItem {
  const before = gen.const('before', ERRORS)
  return () => gen.if(_`${ERRORS} > ${before} && ${ERRORS} >= ${MAX_FINDINGS}`, () => gen.break())
}

/** Drops the findings about items that are not the one that is looked for. */
function forgettingLoops(cxt: KeywordCxt): AfterItem {
  const { gen } = cxt
  const before = gen.const('before', ERRORS)
  return () => gen.if(_`${ERRORS} > ${before} + ${MAX_FINDINGS}`, () => cxt.reset())
}

/** The members of every object in one order. */
const SORTED = _`(_name, value) => value === null || typeof value !== "object" || Array.isArray(value) ? value : Object.fromEntries(Object.keys(value).sort().map((name) => [name, value[name]]))`

/** JSON Schema draft-07 §6.4.5, by the JSON text of each item instead of comparing all pairs. */
const UNIQUE_ITEMS: CodeKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  error: {
    message: 'must NOT have duplicate items',
    params: ({ params }) => _`{i: ${params.i}, j: ${params.j}}`,
  },
  code(cxt) {
    if (cxt.schema !== true) return
    const { gen, data } = cxt
    const seen = gen.const('seen', _`new Map()`)
    const duplicate = gen.let('duplicate', _`false`)
    const [first, second] = [gen.let('first'), gen.let('second')]
    gen.forRange('i', 0, _`${data}.length`, (i) => {
      const text = gen.const('text', _`JSON.stringify(${data}[${i}], ${SORTED})`)
      gen.assign(first, _`${seen}.get(${text})`)
      gen.if(_`${first} !== undefined`, () => gen.assign(duplicate, true).assign(second, i).break())
      gen.code(_`${seen}.set(${text}, ${i})`)
    })
    cxt.setParams({ i: second, j: first })
    cxt.fail(duplicate)
  },
}
