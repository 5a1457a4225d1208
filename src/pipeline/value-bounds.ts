import { MAX_PACKAGES } from '../domain/media-buy/create.ts'

/** Items of an array where the request's schema sets no limit: the most that any official 3.0 schema asks for. */
export const MAX_ITEMS = 10_000
/** Members of an object: no official schema of any release names a limit above 20. */
export const MAX_ARGUMENT_MEMBERS = 2_000
/** Characters (UTF-16 units) of a text where the schema sets no limit: the most that any official 3.0 schema asks for (transcripts). */
export const MAX_TEXT = 200_000
/** A URL: RFC 9110 §4.1 asks servers for at least 8,000 octets. */
export const MAX_URL = 8_192
/** An id is a key of the store, and PostgreSQL indexes keys of up to 2,704 bytes, several ids and four bytes a character included. */
export const MAX_ID = 512
/** Of an id under which a buyer's things are kept: changes are told by it (AdCP 3.2, core/account-change.json, `resource_id`). */
export const MAX_KEPT_ID = 255
const KEPT_IDS: ReadonlySet<string> = new Set(['audience_id', 'catalog_id', 'creative_id', 'event_source_id'])
/** Part of a name, longer than names are: every name is searched for it, and SQLite takes patterns of up to 50,000 bytes. */
export const MAX_NAME_PART = 1_000

/** Of what a buyer asks for in its own words, some four pages: each rule of discovery reads it, in one turn. */
export const MAX_ASKED = 10_000
const ASKED: ReadonlySet<string> = new Set(['brief', 'ask'])

/** Creatives of the library for one package: as many as its schema lets a buyer upload with it (`creatives`). */
const MAX_ASSIGNMENTS = 100

/** Values to choose from in a filter that is put to the store, where its schema sets no number: as many as `filters.creative_ids` may have. */
const MAX_FILTER_VALUES = 100
/** Formats that one call builds for: as many as AdCP 3.2 (media-buy/build-creative-request.json) lets it name. */
const MAX_TARGETS = 50
/** More than there are countries (ISO 3166-1 has 249). */
const MAX_SCOPE_VALUES = 300

/** Audiences, event sources or plans of one call, and what plans are asked for by: each is some statements, all of them in one transaction. */
const MAX_SYNCED = 200

/** Assignments of one upload, each some statements of its transaction: as many as AdCP 3.2 (creative/sync-creatives-request.json) lets `assignment_operations` have. */
const MAX_UPLOADED_ASSIGNMENTS = 500

/** Sources of a list; each may name thousands of properties or collections. */
const MAX_LIST_SOURCES = 1_000

/** Each value of a scope is a row by which standards are found. */
const SCOPE_LIMITS = {
  'scope.countries_all': MAX_SCOPE_VALUES,
  'scope.channels_any': MAX_SCOPE_VALUES,
  'scope.languages_any': MAX_SCOPE_VALUES,
}

/** Of a list that names things by their agents' addresses, each of which is read, in one turn: formats, providers of Trusted Match, exchanges. */
const MAX_ADDRESSES = 1_000
const OF_ADDRESSES = /(?:format_ids|trusted_match\.providers|required_axe_integrations)$/

const NO_LIMITS: Readonly<Record<string, number>> = {}

/** Arrays that a task holds to fewer items than {@link MAX_ITEMS}, by their path without positions. */
const TASK_LIMITS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  create_media_buy: { packages: MAX_PACKAGES, 'packages[].creative_assignments': MAX_ASSIGNMENTS },
  update_media_buy: {
    packages: MAX_PACKAGES,
    new_packages: MAX_PACKAGES,
    'packages[].creative_assignments': MAX_ASSIGNMENTS,
    'new_packages[].creative_assignments': MAX_ASSIGNMENTS,
  },
  buy_products: { purchases: MAX_PACKAGES },
  control_media_buy: { packages: MAX_PACKAGES },
  build_creative: { target_format_ids: MAX_TARGETS },
  sync_creatives: { assignments: MAX_UPLOADED_ASSIGNMENTS },
  sync_audiences: { audiences: MAX_SYNCED },
  sync_event_sources: { event_sources: MAX_SYNCED },
  get_plan_audit_logs: { plan_ids: MAX_SYNCED, portfolio_plan_ids: MAX_SYNCED, governance_contexts: MAX_SYNCED },
  sync_plans: { plans: MAX_SYNCED, 'plans[].portfolio.member_plan_ids': MAX_SYNCED },
  create_property_list: { base_properties: MAX_LIST_SOURCES },
  update_property_list: { base_properties: MAX_LIST_SOURCES },
  create_collection_list: { base_collections: MAX_LIST_SOURCES },
  update_collection_list: { base_collections: MAX_LIST_SOURCES },
  list_creatives: Object.fromEntries(
    ['accounts', 'format_ids', 'tags', 'tags_any', 'concept_ids', 'assigned_to_packages', 'media_buy_ids'].map((name) => [
      `filters.${name}`,
      MAX_FILTER_VALUES,
    ]),
  ),
  list_content_standards: { channels: MAX_SCOPE_VALUES, languages: MAX_SCOPE_VALUES, countries: MAX_SCOPE_VALUES },
  create_content_standards: SCOPE_LIMITS,
  update_content_standards: SCOPE_LIMITS,
}

/** The limits of a task's own arrays: path without positions, e.g. `packages`, to items. */
export function taskLimits(task: string): Readonly<Record<string, number>> {
  return Object.hasOwn(TASK_LIMITS, task) ? (TASK_LIMITS[task] ?? NO_LIMITS) : NO_LIMITS
}

/** The most items of an array at a path without positions, where its task sets no limit. */
export function mostItemsOf(path: string): number {
  return OF_ADDRESSES.test(path) ? MAX_ADDRESSES : MAX_ITEMS
}

/** Whether a member of this name is an id under which something of a buyer is kept, which is never empty. */
export function isKeptId(name: string): boolean {
  return KEPT_IDS.has(name)
}

/** The most characters of a text that is the value, or in the list, of a member of this name. */
export function maxLengthOf(name: string): number {
  if (isKeptId(name)) return MAX_KEPT_ID
  // Who asks a governance agent, and with which task: each of its checks is kept.
  if (name === 'caller') return MAX_URL
  if (name === 'tool' || name === 'id' || name === 'ids' || name.endsWith('_id') || name.endsWith('_ids')) return MAX_ID
  if (name === 'name_contains' || name === 'name_search') return MAX_NAME_PART
  if (name === 'url' || name === 'uri' || name.endsWith('_url') || name.endsWith('_uri')) return MAX_URL
  return ASKED.has(name) ? MAX_ASKED : MAX_TEXT
}
