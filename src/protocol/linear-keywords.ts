import { _, type Ajv, type CodeGen, type CodeKeywordDefinition, type KeywordCxt, Name, type SchemaObjCxt } from 'ajv'

/**
 * Findings after which a loop over a list or over members ends with the item at which it is: more than any answer shows, and enough to tell which form
 * of a union was meant. Each schema that is referred to copies the findings below it, so that their number is a factor of the cost of every level.
 */
const MAX_FINDINGS = 100

/** The number of findings so far, in the code that Ajv makes. */
const ERRORS = new Name('errors')

/** Keywords that loop over what was sent, where each failing item makes the keyword fail. */
const LOOPS = ['additionalItems', 'items', 'additionalProperties', 'patternProperties', 'propertyNames']

/** Characters of a moment (RFC 3339 §5.6), however many digits its seconds have: three times those of nanoseconds. */
const LONGEST_MOMENT = 100
/** Characters of an address, be it one that holds a small picture (RFC 2397). */
const LONGEST_ADDRESS = 65_536

/** Characters of the longest text of formats whose check is long, and is made once for each form of a union. */
const LONGEST: ReadonlyMap<unknown, number> = new Map([
  ...['date-time', 'iso-date-time'].map((name) => [name, LONGEST_MOMENT] as const),
  ...['uri', 'uri-reference', 'uri-template', 'iri', 'iri-reference'].map((name) => [name, LONGEST_ADDRESS] as const),
])

/** Replaces the keywords of an Ajv whose cost grows faster than what they judge, when all findings are collected. */
export function addLinearKeywords(ajv: Ajv): void {
  const beforeItems: BeforeItems = new WeakMap()
  for (const keyword of LOOPS) wrap(ajv, keyword, (cxt) => endingLoops(cxt, beforeItems))
  wrap(ajv, 'contains', forgettingLoops)
  recode(ajv, 'format', boundingFormats)
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword(uniqueItems(beforeItems))
}

/** Of a loop: what is done after each item. */
type AfterItem = () => void
type Code = CodeKeywordDefinition['code']

function wrap(ajv: Ajv, keyword: string, afterItem: (cxt: KeywordCxt) => AfterItem): void {
  recode(
    ajv,
    keyword,
    (code) => (cxt, ruleType) => code(cxt.it.allErrors === true ? inLoops(cxt, afterItem(cxt)) : cxt, ruleType),
  )
}

function recode(ajv: Ajv, keyword: string, change: (code: Code) => Code): void {
  const definition = ajv.getKeyword(keyword)
  if (typeof definition !== 'object' || !('code' in definition)) throw new Error(`Ajv has no code for the keyword ${keyword}`)
  definition.code = change(definition.code)
}

/** A text longer than a moment is none, without a look at it; nor is one longer than an address. */
function boundingFormats(code: Code): Code {
  return (cxt, ruleType) => {
    const { gen, data, schema } = cxt
    const longest = LONGEST.get(schema)
    if (ruleType !== 'string' || longest === undefined) return code(cxt, ruleType)
    gen.if(
      _`${data}.length > ${longest}`,
      () => cxt.error(),
      () => code(cxt, ruleType),
    )
  }
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

/** Of schemas in work: the number of findings before the loop over items. */
type BeforeItems = WeakMap<SchemaObjCxt, Name>

/** That something was found since, and that there are enough findings. */
const isEnough = (before: Name) => _`${ERRORS} > ${before} && ${ERRORS} >= ${MAX_FINDINGS}`

/** Ends a loop that has found something, once there are enough findings. */
function endingLoops({ gen, it, keyword }: KeywordCxt, beforeItems: BeforeItems): AfterItem {
  const before = gen.const('before', ERRORS)
  if (keyword === 'items') beforeItems.set(it, before)
  return () => gen.if(isEnough(before), () => gen.break())
}

/** Drops the findings about items that are not the one that is looked for. */
function forgettingLoops(cxt: KeywordCxt): AfterItem {
  const { gen } = cxt
  const before = gen.const('before', ERRORS)
  return () => gen.if(_`${ERRORS} > ${before} + ${MAX_FINDINGS}`, () => cxt.reset())
}

/** The members of every object in one order. */
const SORTED = _`(_name, value) => value === null || typeof value !== "object" || Array.isArray(value) ? value : Object.fromEntries(Object.keys(value).sort().map((name) => [name, value[name]]))`

/**
 * JSON Schema draft-07 §6.4.5, by each item, or the JSON text of one that is a list or object, instead of comparing all pairs. A list whose items have
 * enough findings is not looked through: every branch of a union may ask for it, and each would read the whole list.
 */
function uniqueItems(beforeItems: BeforeItems): CodeKeywordDefinition {
  return {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: {
      message: 'must NOT have duplicate items',
      params: ({ params }) => _`{i: ${params.i}, j: ${params.j}}`,
    },
    code(cxt) {
      if (cxt.schema !== true) return
      const { gen } = cxt
      const found: Found = { duplicate: gen.let('duplicate', _`false`), first: gen.let('first'), second: gen.let('second') }
      const before = beforeItems.get(cxt.it)
      if (before) gen.if(_`!(${isEnough(before)})`, () => compareItems(cxt, found))
      else compareItems(cxt, found)
      cxt.setParams({ i: found.second, j: found.first })
      cxt.fail(found.duplicate)
    },
  }
}

/** Names of whether two items are equal, and of their places. */
interface Found {
  readonly duplicate: Name
  readonly first: Name
  readonly second: Name
}

function compareItems({ gen, data }: KeywordCxt, { duplicate, first, second }: Found): void {
  const [values, texts] = [gen.const('values', _`new Map()`), gen.const('texts', _`new Map()`)]
  gen.forRange('i', 0, _`${data}.length`, (i) => {
    const item = gen.const('item', _`${data}[${i}]`)
    const isJson = gen.const('isJson', _`typeof ${item} == "object" && ${item} !== null`)
    const seen = gen.const('seen', _`${isJson} ? ${texts} : ${values}`)
    const key = gen.const('key', _`${isJson} ? JSON.stringify(${item}, ${SORTED}) : ${item}`)
    gen.assign(first, _`${seen}.get(${key})`)
    gen.if(_`${first} !== undefined`, () => gen.assign(duplicate, true).assign(second, i).break())
    gen.code(_`${seen}.set(${key}, ${i})`)
  })
}
