import { _, type Ajv, type KeywordCxt } from 'ajv'
import { getProperty } from 'ajv/dist/compile/codegen/index.js'
import { resolveRef, SchemaEnv } from 'ajv/dist/compile/index.js'
import { isObject } from './is-object.ts'

/** Keywords of unions. */
const UNIONS = ['oneOf', 'anyOf']

/**
 * Has a union whose forms each name another constant (`asset_type`, `pricing_model`) judged by the form of that constant first. Where that one takes the value,
 * no other form can, and none is tried: each would make findings of every value that it refuses. Where it does not, all are tried as ever, so that findings
 * are the same.
 */
export function addTaggedUnions(ajv: Ajv): void {
  for (const keyword of UNIONS) {
    const definition = ajv.getKeyword(keyword)
    if (typeof definition !== 'object' || !('code' in definition)) throw new Error(`Ajv has no code for the keyword ${keyword}`)
    const { code } = definition
    definition.code = (cxt, ruleType) => taggedFirst(cxt, () => code(cxt, ruleType))
  }
}

/** The constants of a member, each of one form alone, with the place of that form in the union. */
interface Tags {
  readonly member: string
  readonly forms: ReadonlyMap<string, number>
}

function taggedFirst(cxt: KeywordCxt, tryAll: () => void): void {
  const { gen, data, keyword, it } = cxt
  // Without all findings, what is tried last leaves a block open.
  const tags = it.allErrors === true ? tagsOf(cxt) : undefined
  if (!tags) {
    tryAll()
    return
  }
  const isTaken = gen.let('isTaken', false)
  const tag = gen.const('tag', _`typeof ${data} == "object" && ${data} !== null ? ${data}${getProperty(tags.member)} : undefined`)
  for (const [value, schemaProp] of tags.forms)
    gen.if(_`${tag} === ${value}`, () => {
      const isValid = gen.name('_valid')
      cxt.subschema({ keyword, schemaProp, compositeRule: true }, isValid)
      gen.assign(isTaken, isValid)
      cxt.reset()
    })
  gen.if(_`!${isTaken}`, tryAll)
}

/** The first member that every form of a union declares with a constant; undefined where there is none. */
function tagsOf({ schema, it }: KeywordCxt): Tags | undefined {
  if (!Array.isArray(schema) || schema.length < 2) return undefined
  const forms = schema.map((form: unknown) => constantsOf(form, it))
  const [first] = forms
  const member = [...(first?.keys() ?? [])].find((name) => forms.every((constants) => constants.has(name)))
  if (member === undefined) return undefined
  const places = new Map<string, number>()
  const shared = new Set<string>()
  for (const [place, constants] of forms.entries()) {
    const value = constants.get(member) ?? ''
    if (places.has(value)) shared.add(value)
    places.set(value, place)
  }
  return { member, forms: new Map([...places].filter(([value]) => !shared.has(value))) }
}

/** The texts that members of a form have to be, by name. */
function constantsOf(form: unknown, it: KeywordCxt['it']): ReadonlyMap<string, string> {
  if (!isObject(form)) return new Map()
  const referred = typeof form.$ref === 'string' ? referredTo(form.$ref, it) : undefined
  const own = isObject(form.properties) ? Object.entries(form.properties) : []
  const constants = own.flatMap(([name, member]) =>
    isObject(member) && typeof member.const === 'string' ? [[name, member.const] as const] : [],
  )
  return new Map([...(referred ? constantsOf(referred, it) : []), ...constants])
}

function referredTo(reference: string, { self, schemaEnv, baseId }: KeywordCxt['it']): unknown {
  const found = resolveRef.call(self, schemaEnv.root, baseId, reference)
  return found instanceof SchemaEnv ? found.schema : found
}
