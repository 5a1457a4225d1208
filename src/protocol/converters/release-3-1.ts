import { isObject } from '../is-object.ts'
import { entries, renamed, withResult } from './change-members.ts'
import {
  manifestIn,
  packagesIn,
  withFormatId,
  withOfficialFormats,
  withoutUnnamedFormats,
  withPlacementIds,
} from './format-options.ts'
import type { Conversion, Conversions, Json, LineConverter } from './line-converter.ts'
import { withPixelTrackers } from './pixel-trackers.ts'
import { withCombinedPostalAreas, withCombinedPostalFilters, withPostalCountries } from './postal-areas.ts'
import { withoutVendorGoals } from './vendor-goals.ts'

/**
 * What AdCP 3.1 has otherwise than 3.0 (migration page of 3.1; the schemas of both). At the root of an answer `status` is that of the task, so a body's
 * own status has a name of its own.
 */
const mediaBuy: Conversion = (answer) => {
  const { status, ...rest } = withPackages(answer)
  return rest.media_buy_id === undefined || status === undefined
    ? { ...(status !== undefined && { status }), ...rest }
    : { media_buy_status: status, ...rest }
}

/** Postal areas are named by country and system (core/postal-area.json). */
const withPackages: Conversion = (buy) =>
  entries(entries(buy, 'packages', withPostalCountries), 'affected_packages', withPostalCountries)

/** An answer that was stored under 3.0 does not say for whom it may be kept: for its account alone, which is always safe. A declined search is no feed. */
const feed: Conversion = (answer) => (answer.status === 'rejected' ? answer : { cache_scope: 'account', ...answer })

/** The error form of an answer has no body of which `status` could be. */
const bodyStatus =
  (name: string): Conversion =>
  (answer) =>
    answer.errors === undefined ? renamed(answer, 'status', name) : answer

/** A creative is known by its kind of format alone: the two names exclude each other from 3.1 on (creative/list-creatives-response.json). */
function withoutFormatId(creative: Json): Json {
  const { format_id: _id, ...rest } = creative
  return rest.format_kind === undefined ? creative : rest
}

/** Every buy has a health since 3.1, and `confirmed_at`, which is null until the seller commits; a suspended creative is one whose approval does not count for now, an audience one that is offline. */
const withHealth: Conversion = (buy) => ({ health: 'ok', confirmed_at: null, ...withPackages(buy) })
const withSuspension: Conversion = ({ suspended, ...row }) => (suspended === true ? { ...row, status: 'suspended' } : row)

const ANSWERS: Conversions = {
  get_media_buys: (answer) => entries(answer, 'media_buys', withHealth),
  list_creatives: (answer) =>
    entries(answer, 'creatives', (creative) => withPixelTrackers(withSuspension(withoutFormatId(creative)))),
  sync_creatives: (answer) => entries(answer, 'creatives', withSuspension),
  sync_audiences: (answer) => entries(answer, 'audiences', withSuspension),
  create_media_buy: mediaBuy,
  update_media_buy: mediaBuy,
  get_products: (answer) => feed(entries(answer, 'products', withoutUnnamedFormats)),
  get_signals: (answer) => feed(entries(answer, 'signals', withSignalRef)),
  check_governance: bodyStatus('verdict'),
  report_plan_outcome: bodyStatus('outcome_state'),
  acquire_rights: ({ error: _denial, ...answer }) => bodyStatus('rights_status')(answer),
  creative_approval: bodyStatus('approval_status'),
  get_plan_audit_logs: (answer) =>
    entries(answer, 'plans', (plan) => entries(plan, 'entries', (entry) => renamed(entry, 'status', 'verdict'))),
}

/** Clients of 3.2 read the options of a product, and would make a second option, without size or length, of each official id. */
const OWN_ANSWERS: Conversions = { get_products: (answer) => entries(answer, 'products', withOfficialFormats) }

/** 3.1 splits AUTH_REQUIRED, names the lack of a scope, and has one code for what is referred to and not there (error-handling page, enums/error-code). */
const CODES = {
  AUTH_REQUIRED: 'AUTH_MISSING',
  BRAND_NOT_FOUND: 'REFERENCE_NOT_FOUND',
  INSUFFICIENT_PERMISSIONS: 'SCOPE_INSUFFICIENT',
}

/** Creatives that come with a package replace those that it has (3.1, media-buy/package-update.json); in 3.0 they join them. */
function withOwnCreatives(pkg: Json): Json {
  return pkg.creatives === undefined || pkg.creative_assignments !== undefined ? pkg : { creative_assignments: [], ...pkg }
}

/** 3.1 names signals by `signal_refs` (core/signal-ref.json), which say the same as the `signal_ids` of 3.0 in other words. */
function withSignalIds(request: Json): Json {
  const { signal_refs: references, ...rest } = request
  if (!Array.isArray(references) || rest.signal_ids !== undefined) return request
  return { ...rest, signal_ids: references.map(signalIdOf) }
}

/** Filters of products name signals by reference too (core/product-filters.json), and postal systems by country. */
function withBaseFilters(request: Json): Json {
  const { filters } = request
  if (!isObject(filters)) return request
  const byId = ({ signal_ref: reference, ...signal }: Json): Json =>
    isObject(reference) && signal.signal_id === undefined ? { ...signal, signal_id: signalIdOf({ ...reference }) } : signal
  return { ...request, filters: entries(withCombinedPostalFilters({ ...filters }), 'signal_targeting', byId) }
}

function signalIdOf(reference: Json): unknown {
  const { scope, data_provider_domain, signal_source_url: agent_url, signal_id: id } = reference
  if (scope === 'data_provider') return { source: 'catalog', data_provider_domain, id }
  return scope === 'signal_source' ? { source: 'agent', agent_url, id } : reference
}

/** A row of get_signals with the reference of 3.1 beside the id of 3.0. */
function withSignalRef(signal: Json): Json {
  const { signal_id: known } = signal
  if (typeof known !== 'object' || known === null) return signal
  const { source, data_provider_domain, agent_url: signal_source_url, id: signal_id } = { ...known } as Json
  const signal_ref =
    source === 'catalog'
      ? { scope: 'data_provider', data_provider_domain, signal_id }
      : { scope: 'signal_source', signal_source_url, signal_id }
  return { signal_ref, ...signal }
}

/** The request with the postal areas of the packages in its lists named as in 3.0. */
function withBasePostalAreas(request: Json, ...lists: readonly string[]): Json {
  return lists.reduce((changed, list) => entries(changed, list, withCombinedPostalAreas), request)
}

/** 3.1 names formats by the options of products where 3.0 has ids. Everything else that its requests have otherwise is added. */
const REQUESTS: LineConverter['requests'] = {
  create_media_buy: (request, context) =>
    packagesIn(withBasePostalAreas(withoutVendorGoals(request, 'packages'), 'packages'), 'packages', context),
  update_media_buy: (request, context) => {
    const named = withBasePostalAreas(withoutVendorGoals(request, 'packages', 'new_packages'), 'packages', 'new_packages')
    const own = packagesIn(named, 'packages', context)
    return entries(packagesIn(own, 'new_packages', context), 'packages', withOwnCreatives)
  },
  get_products: (request) => withCombinedPostalAreas(withBaseFilters(request)),
  // All signals are asked for without any words; 3.0 wants some.
  get_signals: (request) => withSignalIds(request.discovery_mode === 'wholesale' ? { signal_spec: '', ...request } : request),
  sync_creatives: (request, context) => entries(request, 'creatives', (each) => withPlacementIds(withFormatId(each, context))),
  build_creative: (request, context) => manifestIn(request, 'creative_manifest', context),
  get_creative_features: (request, context) => manifestIn(request, 'creative_manifest', context),
  preview_creative: (request, context) =>
    entries(manifestIn(request, 'creative_manifest', context), 'requests', (each) =>
      manifestIn(each, 'creative_manifest', context),
    ),
}

/**
 * An account has one governance agent since 3.1, known by its address (core/account.json); of several that came under 3.0 the first is shown, and all of
 * them are asked.
 */
function withOneAgent(account: Json): Json {
  const { governance_agents: agents } = account
  if (!Array.isArray(agents)) return account
  const [first]: readonly unknown[] = agents
  return isObject(first) ? { ...account, governance_agents: [{ url: first.url }] } : account
}

const everyAnswer: Conversion = (answer) => {
  const { account } = answer
  return entries(isObject(account) ? { ...answer, account: withOneAgent(account) } : answer, 'accounts', withOneAgent)
}

/** The step between AdCP 3.0 and 3.1. */
export const RELEASE_3_1: LineConverter = {
  requests: REQUESTS,
  answers: { ...ANSWERS, get_task_status: withResult(ANSWERS) },
  ownAnswers: { ...OWN_ANSWERS, get_task_status: withResult(OWN_ANSWERS) },
  everyAnswer,
  codes: CODES,
  // SIGNAL_NOT_FOUND is about the ids of catalogs, not about an agent's own segment ids (error-handling page).
  taskCodes: { activate_signal: { GOVERNANCE_DENIED: 'PERMISSION_DENIED', SIGNAL_NOT_FOUND: 'REFERENCE_NOT_FOUND' } },
  rules: {
    ...{ health: true, fullCapabilities: true, webhookActivity: true, cacheScope: true },
    ...{ feedVersions: true, searchDiagnostics: true, deferredSearches: true, staleAnswers: true, availableActions: true },
    ...{ deliveryWindows: true, finalizedPurchases: true, formatKinds: true, suspendedCreatives: true, strictUploads: true },
    ...{ buildOptions: true, provenanceObservations: true, sponsoredContext: true, controllerAccount: true, sellerMembers: true },
  },
}
