import type { ErrorObject } from 'ajv'
import type { WantedForm } from './errors.ts'
import { meantWords } from './meant-words.ts'
import { type NameSearch, nearestName } from './nearest-name.ts'
import { isPrivate, type Position, sentValue } from './request-subject.ts'
import { exampleOfMember } from './schema-examples.ts'
import { expectedAt, wantedAt } from './schema-forms.ts'
import { wantedText, wordsOf } from './text-forms.ts'

/** More values would bury the message. */
const MAX_NAMED = 25

/**
 * What to do about a finding of the validator, for a sentence that begins with the member it is about: what is allowed, and what was sent. `at` is the
 * position of that member, `parent` that of the object around it. `names`: the search that all findings share.
 */
export function messageOf(
  { keyword, params, message }: ErrorObject,
  pointer: string,
  at: Position,
  parent: Position,
  names: NameSearch,
): string {
  const sent = sentValue(at.value, pointer)
  switch (keyword) {
    case 'required':
      return `is required${requiredForm(at, exampleOfMember(parent.place, params.missingProperty))}${sourceOf(params.missingProperty, parent)}`
    case 'dependencies':
    case 'dependentRequired':
      return `is required beside ${params.property}${at.place ? `: ${expectedAt(at.place, at.isEntry)}` : ''}`
    case 'additionalProperties':
      return `is not known here${knownMembers(params.additionalProperty, parent, names)}`
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}, not ${sent}${params.allowedValue === true ? '; else leave it out' : ''}`
    case 'enum':
      return `must be ${allowedValues(params.allowedValues)}, not ${sent}${nearValue(params.allowedValues, at.value, names)}${beside(pointer, at.value)}`
    case 'type':
      return `must be ${exampleOfMember(parent.place, nameIn(pointer)) ?? (at.place ? expectedAt(at.place, at.isEntry) : params.type)}, not ${sent}`
    case 'format':
      return `must be ${wordsOf(params.format) ?? `of the format ${params.format}`}, not ${sent}`
    case 'pattern':
      return `must be ${wordsOf(params.pattern) ?? `text that matches ${params.pattern}`}, not ${sent}`
    case 'minimum':
    case 'exclusiveMinimum':
    case 'maximum':
    case 'exclusiveMaximum':
      return `must be ${BOUNDS[params.comparison] ?? params.comparison} ${params.limit}, not ${sent}`
    case 'minItems':
      return params.limit === 1 ? `must have an entry${entryForm(at)}; it is empty` : `must have at least ${params.limit} entries`
    case 'maxItems':
      return `must have at most ${params.limit} entries`
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`
    case 'maxLength':
      return `must have at most ${params.limit} characters`
    case 'uniqueItems':
      return `names the same value twice, as entries ${params.j} and ${params.i}`
    case 'false schema':
      return 'must be left out'
    case 'not':
      return excluded(at, sent)
    default:
      return message ?? 'is invalid'
  }
}

/** The last name of a pointer. */
function nameIn(pointer: string): string {
  return pointer.slice(pointer.lastIndexOf('/') + 1)
}

/** The form that a value was to have; undefined where a value was suggested, or what was sent is not to be repeated. */
export function wantedOf(
  { keyword, params }: ErrorObject,
  pointer: string,
  at: Position,
  names: NameSearch,
): WantedForm | undefined {
  switch (keyword) {
    case 'type':
      return shownForm(at.place && wantedAt(at.place, at.isEntry), pointer)
    case 'format':
      return shownForm(wantedText(params.format), pointer)
    case 'pattern':
      return shownForm(wantedText(params.pattern), pointer)
    case 'enum':
      return isChannel(pointer) && nearValue(params.allowedValues, at.value, names) === ''
        ? shownForm('channel', pointer)
        : undefined
    default:
      return undefined
  }
}

/** Of what is not to be repeated, only a number or a code is told. */
export function shownForm(form: WantedForm | undefined, pointer: string): WantedForm | undefined {
  return form === 'number' || form === 'country' || form === 'language' || !isPrivate(pointer) ? form : undefined
}

function isChannel(pointer: string): boolean {
  return /\/channels\/\d+$/.test(pointer)
}

/** What an entry of an empty list looks like; nothing of a list that goes through no schema of its own. */
function entryForm({ place }: Position): string {
  return place ? `: ${expectedAt(place, true)}` : ''
}

function requiredForm({ place, isEntry }: Position, example: string | undefined): string {
  const form = example ?? (place && expectedAt(place, isEntry))
  return form === undefined ? '' : `: ${form}`
}

/** Where a member comes from that no caller makes up. */
const SOURCES: ReadonlyMap<unknown, string> = new Map([
  ['event_source_id', 'sync_event_sources'],
  ['feed_version', 'list_products'],
  ['governance_context', 'check_governance'],
  ['list_id', 'the answer of the task that created it'],
  ['media_buy_id', 'get_media_buys'],
  ['package_id', 'get_media_buys'],
  ['proposal_id', 'get_products or request_proposals'],
  ['proposal_terms_digest', 'the proposal as request_proposals or refine_proposals gave it'],
  ['plan_id', 'sync_plans'],
  ['revision', 'get_media_buys'],
  ['rights_id', 'get_rights'],
  ['session_id', 'si_initiate_session'],
  ['signal_agent_segment_id', 'get_signals'],
  ['standards_id', 'create_content_standards or list_content_standards'],
  ['task_id', 'the submitted answer, or list_tasks'],
])

/** Where the ids of prices come from, by the area of the request: those of packages are listed with their product. */
const PRICES: ReadonlyMap<string | undefined, string> = new Map([
  ['brand', 'get_rights'],
  ['signals', 'get_signals'],
])

function sourceOf(member: unknown, { place }: Position): string {
  const area = place?.places[0]?.split('/', 1)[0]
  const source = member === 'pricing_option_id' ? PRICES.get(area) : SOURCES.get(member)
  return source === undefined ? '' : `, from ${source}`
}

/** A schema that says what must not be: most often of members that exclude each other. */
function excluded({ value, place }: Position, sent: string): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `must not be ${sent}`
  const together = place?.exclusions.find((names) => names.every((name) => Object.hasOwn(value, name)))
  if (together) return `has ${together.join(' and ')}, which exclude each other: send one of them`
  return `has members that exclude each other, or lacks one that the others need; sent: ${Object.keys(value).slice(0, 8).join(', ') || 'nothing'}`
}

const BOUNDS: Readonly<Record<string, string>> = { '>=': 'at least', '>': 'more than', '<=': 'at most', '<': 'less than' }

function knownMembers(name: unknown, { place }: Position, names: NameSearch): string {
  if (!place || typeof name !== 'string') return ''
  const near = nearestName(name, place.names, names)
  if (near !== undefined) return `; did you mean ${near}?`
  return place.names.size > MAX_NAMED ? '' : `; known: ${[...place.names].join(', ')}`
}

function allowedValues(allowed: readonly unknown[]): string {
  const rest = allowed.length > MAX_NAMED ? `, … (${allowed.length} in all)` : ''
  return `one of: ${allowed.slice(0, MAX_NAMED).map(String).join(', ')}${rest}`
}

/** Words for a length of time, as a cap takes it (core/duration.json, which has no weeks). */
const WINDOWS: ReadonlyMap<unknown, string> = new Map(
  Object.entries({ hour: [1, 'hours'], day: [1, 'days'], week: [7, 'days'], month: [30, 'days'] }).flatMap(
    ([word, [interval, unit]]) =>
      [word, `${word}s`, word === 'day' ? 'daily' : `${word}ly`].map(
        (each) => [each, JSON.stringify({ interval, unit })] as const,
      ),
  ),
)

/** Types of assets that 3.0 does not have, with the release that they came with (core/assets). */
const LATER_ASSETS: ReadonlyMap<unknown, string> = new Map([
  ['pixel_tracker', '3.1'],
  ['vast_tracker', '3.1'],
  ['daast_tracker', '3.1'],
])

/** What a value of an enumeration says that belongs into another member, or into a later release. */
export function beside(pointer: string, sent: unknown): string {
  const release = pointer.endsWith('/asset_type') ? LATER_ASSETS.get(sent) : undefined
  if (release !== undefined)
    return `; ${sent} came with AdCP ${release}: send adcp_version "${release}" where supported_versions of get_adcp_capabilities has it`
  const window = pointer.endsWith('frequency_cap/per') ? WINDOWS.get(sent) : undefined
  return window === undefined ? '' : `; per is whom it counts: send per "individuals" and window ${window}`
}

/** The end of a sentence that refuses a value of an enumeration: the one that was probably meant. Empty when none is near. */
export function nearValue(allowed: readonly unknown[], sent: unknown, names: NameSearch): string {
  if (typeof sent !== 'string') return ''
  const values = allowed.map(String)
  const near = nearestName(sent, values, names)
  const meant = near === undefined ? meantWords(sent, values) : [near]
  return meant.length === 0 ? '' : `; did you mean ${meant.join(' or ')}?`
}
