import type { ErrorObject } from 'ajv'
import type { Issue, WantedForm } from './errors.ts'
import { isObject } from './is-object.ts'
import { beside, nearValue, shownForm } from './issue-message.ts'
import type { NameSearch } from './nearest-name.ts'
import { type Position, sentValue } from './request-subject.ts'
import { exampleAtPlace } from './schema-examples.ts'
import { ASSET, expectedAt, type Form, formsAt, requiredBy, wantedAt } from './schema-forms.ts'
import type { SchemaPlace } from './schema-places.ts'

interface Settled {
  readonly issues: readonly Issue[]
  /** Findings below that are about the form that was meant. */
  readonly open: readonly ErrorObject[]
}

/**
 * Decides which form of a union a value was meant to have, since the validator reports what is wrong by each of them. `below` are the findings at the
 * union and below it. `names`: the search that all findings share.
 */
export function settleUnion(pointer: string, position: Position, below: readonly ErrorObject[], names: NameSearch): Settled {
  const { place, value, isEntry } = position
  if (!place) return { issues: [], open: below }
  const inside = below.filter(({ instancePath }) => instancePath !== pointer)
  if (Array.isArray(value) && inside.length > 0) return { issues: [], open: inside }
  if (!isObject(value)) {
    const near = insteadOf(pointer, value, below, names)
    const message = `must be ${expectedForm(pointer, position)}, not ${sentValue(value, pointer)}${near}`
    return refusal(
      pointer,
      tellingKeyword(below),
      message,
      near === '' ? shownForm(wantedAt(place, isEntry), pointer) : undefined,
    )
  }
  const forms = distinct(formsAt(place, isEntry).filter(({ names }) => names.size > 0))
  const ofForm = below.filter(({ instancePath, keyword }) => instancePath !== pointer || FORM_KEYWORDS.has(keyword))
  // An object or null is no choice: what is wrong is wrong with the object.
  if (forms.length === 1 && ofForm.length > 0) return { issues: [], open: ofForm }
  const discriminator = discriminatorOf(forms)
  const settled =
    discriminator === undefined
      ? settleByMembers(pointer, value, forms, below, place)
      : settleByConstant(pointer, value, discriminator, forms, below, names)
  // What every form needs beside the union is missing whichever was meant.
  const always = new Set(place.common(isEntry).flatMap(requiredBy))
  const missing = below.filter(
    (error) => error.instancePath === pointer && error.keyword === 'required' && always.has(String(error.params.missingProperty)),
  )
  return { ...settled, open: [...settled.open.filter((error) => !missing.includes(error)), ...missing] }
}

/** The value of an enumeration among the forms that was probably meant by a text. */
function insteadOf(pointer: string, value: unknown, below: readonly ErrorObject[], names: NameSearch): string {
  const listed = below.filter(({ instancePath, keyword }) => instancePath === pointer && keyword === 'enum')
  return listed.map(({ params }) => nearValue(params.allowedValues, value, names)).find((hint) => hint !== '') ?? ''
}

/** An asset whose slot is named for an address is one; other slots are shown the form of an image. */
function expectedForm(pointer: string, { place, isEntry }: Position): string {
  const expected = place ? expectedAt(place, isEntry) : ''
  return expected === ASSET && /(?:_url|_tracker|link)$/.test(pointer)
    ? 'an object such as {"asset_type": "url", "url": "https://host.example/path"}'
    : expected
}

/** Findings at an object about its members, which say more than that it has no form of a union. */
const FORM_KEYWORDS = new Set(['dependencies', 'dependentRequired', 'additionalProperties'])

/** Forms that differ: a union that is referred to from several places names the same ones again. */
function distinct(forms: readonly Form[]): readonly Form[] {
  const known = new Map(
    forms.map((form) => [JSON.stringify([[...form.names], form.required, [...form.constants]]), form] as const),
  )
  return [...known.values()]
}

/** What the form that came closest found wrong. */
function tellingKeyword(findings: readonly ErrorObject[]): string {
  return findings.find(({ keyword }) => ['format', 'pattern', 'enum'].includes(keyword))?.keyword ?? 'type'
}

/** The member that has another constant in each form. */
function discriminatorOf(forms: readonly Form[]): string | undefined {
  const [first] = forms
  if (!first || forms.length < 2) return undefined
  return [...first.constants.keys()].find((name) => forms.every(({ constants }) => constants.has(name)))
}

function settleByConstant(
  pointer: string,
  value: object,
  name: string,
  forms: readonly Form[],
  below: readonly ErrorObject[],
  names: NameSearch,
): Settled {
  const at = `${pointer}/${name}`
  const allowed = [...new Set(forms.map(({ constants }) => String(constants.get(name))))]
  const sent: unknown = Object.getOwnPropertyDescriptor(value, name)?.value
  if (sent === undefined) return withoutConstant(pointer, value, name, forms, below)
  const meant = forms.filter(({ constants }) => constants.get(name) === sent)
  if (meant.length === 0) {
    const near = nearValue(allowed, sent, names)
    const named = forms.filter(({ constants }) => near === `; did you mean ${constants.get(name)}?`)
    const message = `must be one of: ${allowed.join(', ')}, not ${sentValue(sent, at)}${near}${beside(at, sent)}`
    const open = named.length === 1 ? below.filter((error) => concerns(error, pointer, named)) : []
    return { issues: [{ pointer: at, message, keyword: 'enum' }], open }
  }
  const surplus = Object.keys(value).filter((each) => meant.every(({ excluded }) => excluded.has(each)))
  const issues = surplus.map((each) => ({
    pointer: `${pointer}/${each}`,
    message: `must be left out where ${name} is ${JSON.stringify(sent)}`,
    keyword: 'not',
  }))
  return { issues, open: below.filter((error) => concerns(error, pointer, meant) || isBeside(error, pointer, forms, meant)) }
}

/** Whether a finding is about a member that the object has whatever its form, and that the forms that were meant may have. */
function isBeside({ instancePath }: ErrorObject, pointer: string, forms: readonly Form[], meant: readonly Form[]): boolean {
  const [, member] = instancePath.slice(pointer.length).split('/')
  return (
    member !== undefined && forms.every(({ names }) => !names.has(member)) && meant.some(({ excluded }) => !excluded.has(member))
  )
}

/** Most forms are shown whole; longer ones would bury the message. */
const MOST_SHAPES = 220

/** The member that tells the forms apart is missing: the other members tell which was meant, and what is wrong with them is said too. */
function withoutConstant(
  pointer: string,
  value: object,
  name: string,
  forms: readonly Form[],
  below: readonly ErrorObject[],
): Settled {
  const sent = Object.keys(value)
  const telling = sent.filter((each) => forms.some(({ names }) => !names.has(each)) && forms.some(({ names }) => names.has(each)))
  const meant = telling.length === 0 ? [] : forms.filter(({ names }) => telling.every((each) => names.has(each)))
  const [form] = meant
  if (form && meant.length === 1) {
    const message = `is required: ${JSON.stringify(form.constants.get(name))} beside ${telling.join(', ')}`
    const open = below.filter((error) => concerns(error, pointer, [form]) && error.params.missingProperty !== name)
    return { issues: [{ pointer: `${pointer}/${name}`, message, keyword: 'required' }], open }
  }
  // A value that lies under the name of one form is of that: an asset in the slot `image` is an image.
  const named = forms.filter(({ constants }) => constants.get(name) === pointer.slice(pointer.lastIndexOf('/') + 1))
  if (named.length === 1) {
    const open = below.filter((error) => concerns(error, pointer, named) && error.params.missingProperty !== name)
    const message = `is required: ${JSON.stringify(named[0]?.constants.get(name))}`
    return { issues: [{ pointer: `${pointer}/${name}`, message, keyword: 'required' }], open }
  }
  const values = [...new Set(forms.map(({ constants }) => JSON.stringify(constants.get(name))))]
  const shapes = forms.map((each) => `${JSON.stringify(each.constants.get(name))} with ${othersOf(each, name)}`).join('; ')
  const isShort = shapes.length <= MOST_SHAPES && forms.every((each) => othersOf(each, name) !== '')
  return refusal(
    `${pointer}/${name}`,
    'required',
    `is required: ${isShort ? shapes : `one of: ${values.map((each) => each.replaceAll('"', '')).join(', ')}`}`,
  )
}

function othersOf({ required }: Form, name: string): string {
  return required.filter((each) => each !== name).join(', ')
}

function settleByMembers(
  pointer: string,
  value: object,
  forms: readonly Form[],
  below: readonly ErrorObject[],
  place: SchemaPlace,
): Settled {
  const sent = Object.keys(value)
  const ranked = forms
    .map((form) => ({ form, known: sent.filter((name) => form.names.has(name)).length }))
    .toSorted((a, b) => b.known - a.known)
  const best = ranked[0]?.known ? ranked[0].form : undefined
  const isComplete = ({ required }: Form) => required.every((name) => sent.includes(name))
  const inside = best ? below.filter((error) => error.instancePath !== pointer && concerns(error, pointer, [best])) : []
  const fits = forms.filter(isComplete).length
  if (inside.length > 0 && fits === 1) return { issues: [], open: inside }
  const given = sent.length === 0 ? 'it is empty' : `sent: ${sent.slice(0, 8).join(', ')}`
  // A form that requires nothing says nothing of what is missing.
  const shapes = forms.flatMap(({ required }) => (required.length > 0 ? [`{${required.join(', ')}}`] : [])).join(' or ')
  if (shapes === '')
    return refusal(pointer, 'oneOf', `${missingOf(pointer, below) ?? 'combines members that do not go together'}; ${given}`)
  const example = place && exampleAtPlace(place)
  const shown = example === undefined ? '' : `, such as ${example}`
  const message = `must have ${fits > 1 ? 'only one' : 'one'} of these forms: ${shapes}${shown}; ${given}`
  return { issues: [{ pointer, message, keyword: 'oneOf' }], open: inside }
}

/** The members of which one has to be there, where branches of the union demand nothing else. */
function missingOf(pointer: string, below: readonly ErrorObject[]): string | undefined {
  const missing = below.flatMap(({ instancePath, keyword, params }) =>
    instancePath === pointer && keyword === 'required' ? [String(params.missingProperty)] : [],
  )
  return missing.length === 0 ? undefined : `must have ${[...new Set(missing)].slice(0, 8).join(' or ')}`
}

/** Whether a finding is about one of these forms of the value at `pointer`. */
function concerns({ instancePath, keyword, params }: ErrorObject, pointer: string, forms: readonly Form[]): boolean {
  if (instancePath === pointer) {
    if (keyword === 'required') return forms.some(({ required }) => required.includes(params.missingProperty))
    if (keyword === 'additionalProperties') return forms.every(({ names }) => !names.has(params.additionalProperty))
    return false
  }
  const [, member = '', ...deeper] = instancePath.slice(pointer.length).split('/')
  if (keyword === 'enum' && deeper.length === 0 && forms.every(({ choices }) => choices.has(member)))
    return forms.some(({ choices }) => choices.get(member) === JSON.stringify(params.allowedValues))
  return forms.some(({ names, constants }) => names.has(member) && !constants.has(member))
}

function refusal(pointer: string, keyword: string, message: string, wanted?: WantedForm): Settled {
  return { issues: [{ pointer, message, keyword, ...(wanted && { wanted }) }], open: [] }
}
