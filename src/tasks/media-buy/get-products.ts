import type { GetProductsRequest, GetProductsResponse } from '@adcp/sdk/types'
import { cacheScope } from '../../domain/feed-version.ts'
import { pageOf } from '../../domain/page.ts'
import type { Allowed } from '../../domain/product/allowed-products.ts'
import { requireAskBounds } from '../../domain/product/ask-bounds.ts'
import { askedDays, withAskedDays, withoutDays } from '../../domain/product/asked-days.ts'
import { mediaIn } from '../../domain/product/brief-channels.ts'
import { mediaLimitNotes } from '../../domain/product/brief-media.ts'
import { proposalsFor } from '../../domain/product/brief-proposals.ts'
import { shareNotes } from '../../domain/product/brief-shares.ts'
import { looseMoneyNotes, noBudgetNotes } from '../../domain/product/budget-limit.ts'
import { discoveryTests, overlayNotes, withTerms } from '../../domain/product/discovery-terms.ts'
import { filterDiagnostics } from '../../domain/product/filter-diagnostics.ts'
import { wantedPrice } from '../../domain/product/filter-prices.ts'
import { flatShareNotes } from '../../domain/product/flat-shares.ts'
import { conditionsOf, notEstimated } from '../../domain/product/forecast-conditions.ts'
import { formatDivergences } from '../../domain/product/format-divergence.ts'
import { hardNotes, resolution } from '../../domain/product/hard-targeting.ts'
import { areKeptOutOf, areLimitedTo, carriedByAll } from '../../domain/product/limited-plan.ts'
import { missesCap } from '../../domain/product/missed-cap.ts'
import { takesOf } from '../../domain/product/overlay-support.ts'
import { isProductMember, presentProduct } from '../../domain/product/present-products.ts'
import { listOf, offeredProducts, withNeeded } from '../../domain/product/product-list.ts'
import type { DiscoveryTerms } from '../../domain/product/product-question.ts'
import { proposalRow } from '../../domain/product/proposals.ts'
import { proposedProducts } from '../../domain/product/proposed-products.ts'
import { forgottenNotes, hintsOfQuestion, wordsOfQuestion } from '../../domain/product/question-words.ts'
import type { RankedProductId } from '../../domain/product/ranking-port.ts'
import { requireOffered } from '../../domain/product/refine-products.ts'
import { allowedBy, briefOf, requireModeFields, selectProducts, takesCatalogs } from '../../domain/product/select-products.ts'
import { fewFormatsNotes, withFewFormats } from '../../domain/product/shown-formats.ts'
import { isStandardFormatOf } from '../../domain/product/standard-format.ts'
import { unmatchedNote } from '../../domain/product/unmatched-words.ts'
import { askedIn, unreached } from '../../domain/product/unreached.ts'
import { mediaBuyFeatures } from '../../domain/protocol/capabilities.ts'
import { defineTask, type InTransaction, type PublicContext } from '../../pipeline/task.ts'
import { definingQuery } from '../defining-query.ts'
import { onStoredPropertyList } from '../property/on-stored-property-list.ts'
import { keptTargeting } from '../served-products.ts'
import { wholeRequest } from '../whole-request.ts'
import { catalogMatchOf, withCatalogMatch } from './catalog-match.ts'
import { asCommitted } from './committed-plans.ts'
import { GET_PRODUCTS } from './input-notes.ts'
import { laterTerms } from './later-terms.ts'
import { fittingPlans, shortNote, withLeft } from './left-in-flight.ts'
import { isRanked, orderOf, reasonsOf } from './own-ranking.ts'
import { forecastPlans } from './plan-forecasts.ts'
import { BRIEF_PAGE, bestOf, namesVersion, pageSize } from './product-page.ts'
import { applyProposalEntries, isAboutProposal, isChanging } from './proposal-entries.ts'
import { summarizeProducts } from './summaries.ts'
import { unknownInRefine } from './unknown-in-refine.ts'
import { type VisibleProducts, visibleProducts } from './visible-products.ts'
import { isForAccount, UNCHANGED, type Unchanged, wholesaleFeed } from './wholesale-feed.ts'

export const getProducts = defineTask<GetProductsRequest, Answer>()({
  name: 'get_products',
  access: 'limited',
  scope: 'products',
  account: 'optional',
  summary: 'Find products: by a brief (ranked, with proposals), all of them (wholesale), or refine earlier answers.',
  input: GET_PRODUCTS,
  summarize: (response) => ('unchanged' in response ? UNCHANGED : summarizeProducts(response)),
  unknown: unknownInRefine,
  // Members that only products of a later release have: those that a product lacks are left out, as for every other field.
  takesForm: ({ pointer }) => FIELD.test(pointer),
  // Some members of a product are in no release's enumeration of fields.
  takesValue: ({ pointer }, { fields = [] }) => FIELD.test(pointer) && isProductMember(fields[Number(pointer.slice(8))]),
  // A proposal that is refined or finalized is stored.
  writes: isChanging,
  cacheKey: (request, { services }) =>
    readsProductsAlone(request) && !isRanked(request, services) ? wholeRequest(request) : undefined,
  prepare: async (request, context) => {
    if (!isRanked(request, context.services)) return undefined
    requireModeFields(request)
    return orderOf(request, await selectingOf(request, context, await visibleProducts(context)), context.services.ranking)
  },
  handle: answer,
})

const FIELD = /^\/fields\/\d+$/

/**
 * Whether an answer comes from the seller's products alone. Lists, stored proposals and the buyer's catalogs may have been changed by their
 * buyer a moment ago through another process, whose commits a data version may show late.
 */
function readsProductsAlone({ buying_mode: mode, refine, property_list: list, catalog }: GetProductsRequest): boolean {
  return mode !== 'refine' && !refine && !list && !catalog
}

/** The products of a wholesale answer, or word that the caller has them already. */
type Answer = GetProductsResponse | Unchanged

async function answer(
  request: GetProductsRequest & DiscoveryTerms,
  context: InTransaction<PublicContext>,
  order?: readonly RankedProductId[],
): Promise<Answer> {
  const { tenant, principal, account, now } = context
  requireAskBounds(request.refine ?? [], 'refine')
  const snapshot = await visibleProducts(context)
  const terms = laterTerms(request, context)
  const days = askedDays(request.filters, wordsOfQuestion(request), now)
  const selecting = { ...(await selectingOf(request, context, snapshot)), order, days }
  const { keepsOf } = selecting
  const { brief_targeting: hard } = terms ?? {}
  const shown = { index: selecting.index, principalId: selecting.principalId }
  requireModeFields(request)
  const offered = offeredProducts(shown.index, shown.principalId)
  // The official suite of 3.0 names a product of its own beside an entry that every seller can carry out.
  if (request.buying_mode === 'refine') requireOffered(request.refine ?? [], offered, principal?.conformance === true)
  const first = request.pagination?.cursor === undefined
  // On pages after the first the same entries lead to the proposals of the first.
  const refined = await applyProposalEntries(request, context, snapshot, { offered, ...allowedBy(request, selecting) })
  const proposed = proposedProducts(refined?.proposals ?? [], offered, shown.principalId)
  const asking = { ...context, isAsked: !isChanging(request) }
  const forecastBy = { filters: withAskedDays(request.filters, days), overlay: terms?.targeting_overlay }
  const hints = request.buying_mode === 'brief' ? selecting.brief.hints : hintsOfQuestion(request)
  // What an ask carries into a plan its proposal has; words of an ask alone, such as that products take a cap, are no condition.
  const sought = request.buying_mode === 'brief' ? hints : hintsOfQuestion({ ...request, refine: [] })
  const plain = conditionsOf({ ...forecastBy, hints: sought })
  const budgeted = (request.refine ?? []).flatMap((entry) =>
    entry.scope === 'product' && 'ask' in entry ? (offered.get(entry.product_id) ?? []) : [],
  )
  const selection = selectProducts(request, {
    ...selecting,
    proposed,
    conditions: plain && (await withLeft(plain, budgeted, asking)),
  })
  const { answered, products: selected } = selection
  const plansOf = (allowed: Allowed) =>
    principal && answered ? proposalsFor(answered.brief, answered.ranking, snapshot.plans, allowed, now) : []
  const suggested = await fittingPlans(plansOf, selection.allowed, { flight: plain?.flight, asking })
  const listed =
    request.property_list && (await onStoredPropertyList(context, request.property_list, selected.slice(0, selected.length)))
  const onList = listed && new Set(listed.map(({ id }) => id))
  const planned = (refined?.proposals ?? (await asCommitted(suggested.proposals, context))).filter(
    ({ allocations }) => !onList || allocations.every(({ product_id }) => onList.has(product_id)),
  )
  const feed = await wholesaleFeed(request, context, { ownAccountId: snapshot.ownAccountId, selected })
  // An official story of 3.1 reads what 3.1 added without naming it (`--conformance`).
  const { rules } = context.contract
  const isUnnamed = principal?.conformance === true && !namesVersion(request)
  const scope = !rules.cacheScope && !isUnnamed ? {} : cacheScope(isForAccount(request, snapshot))
  if (feed && 'unchanged' in feed) return { ...feed, ...scope }
  const { fields } = request
  const { fields: _fields, ...query } = definingQuery(request)
  const best = bestOf(request)
  const forecasting = proposedProducts(planned, offered, shown.principalId)
  // A proposal refers to products of the same answer: those that it needs are on the first page. The order is the same for every page.
  const page = pageOf(
    withNeeded(listed ? listOf(listed) : selected, forecasting, best),
    (product) => product.id,
    [tenant.tenantId, principal?.principalId, account?.accountId, query],
    { ...(request.buying_mode !== 'wholesale' && { max_results: pageSize(request, proposed, best) }), ...request.pagination },
  )
  const { catalog } = request
  const match = catalog && (await catalogMatchOf(catalog, context))
  // Products that the request names, and the feed that a client library keeps, are there with all that they have; a search answers with rows.
  const whole =
    (request.refine ?? []).some(({ scope }) => scope !== 'request') ||
    (request.buying_mode === 'wholesale' && namesVersion(request))
  const forecasts = whole || fields?.includes('forecast') ? page.items : forecasting
  const conditions = plain && (await withLeft(plain, forecasts, asking))
  const plans = await forecastPlans(planned, { ...forecastBy, hints: sought }, offered, asking)
  const { proposals } = plans
  const declare = whole || namesVersion(request) ? snapshot.declare : undefined
  const items = withFewFormats(page.items, request, declare, first ? proposals.length : 0)
  const present = {
    brief: answered?.brief,
    index: shown.index,
    prices: principal !== undefined,
    isWantedPrice: wantedPrice(forecastBy.filters),
    whole,
    reports: !(request.refine ?? []).some(isAboutProposal) || (request.refine ?? []).some(({ scope }) => scope === 'product'),
    conditions,
    reasons: order && reasonsOf(order),
    declare,
  }
  const plansLimited = areLimitedTo(hints?.countriesAlone ?? [], planned)
  const plansKeptOut = areKeptOutOf(hints?.countriesNot ?? [], planned)
  const asked = {
    hints,
    ...askedIn(request.filters),
    days,
    plansLimited,
    plansKeptOut,
    planned: forecasting,
    missesCap: planned.some(missesCap),
    carried: carriedByAll(planned),
    media: mediaIn(answered?.brief, request.filters?.channels),
  }
  const atOtherDates = () =>
    selectProducts({ ...request, filters: withoutDays(request.filters) }, selecting).products.slice(0, BRIEF_PAGE)
  const unknown = (conditions && notEstimated(forecasts, conditions)) ?? plans.unknown
  const notes = [
    ...(first
      ? [
          ...hardNotes(hard),
          ...(page.items.length === 0 && terms ? overlayNotes(terms, offered.values(), keepsOf) : []),
          ...forgottenNotes(request),
          ...(answered && !order ? unmatchedNote(answered.brief, shown.index, offered) : []),
          ...(answered ? mediaLimitNotes(answered.brief, page.items) : []),
          ...unreached(asked, { ...shown, takes: takesOf(keepsOf), shown: page.items, atOtherDates }),
          ...(hints ? looseMoneyNotes(hints, selection.allowed.budget) : []),
          ...(answered ? noBudgetNotes(selection.allowed.budget, proposals) : []),
          ...flatShareNotes(proposals, offered, shown.principalId),
          ...shareNotes(request.brief ?? ''),
          ...shortNote(suggested.short, days),
          ...(unknown ? [unknown] : []),
        ]
      : []),
    ...fewFormatsNotes(items, declare),
  ]
  // 3.0 shows ids alone.
  const advisories = !rules.formatKinds && !isUnnamed ? [] : formatDivergences(page.items.map(({ offer }) => offer))
  const errors = [...(request.property_list && !listed ? [LIST_NOT_READ] : []), ...advisories]
  return {
    products: items.map((product) => {
      const shown = presentProduct(product, fields, present)
      return withCatalogMatch(terms ? withTerms(shown, product, request, keepsOf) : shown, product, catalog, match)
    }),
    ...(first && (proposals.length > 0 || refined) && { proposals: whole ? [...proposals] : proposals.map(proposalRow) }),
    ...(request.buying_mode === 'refine' && {
      refinement_applied: (request.refine ?? []).flatMap(
        (_entry, position) => selection.outcomes.get(position) ?? refined?.outcomes.get(position) ?? [],
      ),
    }),
    ...(notes.length > 0 && { ext: { notes } }),
    ...resolution(hard),
    ...(request.catalog && { catalog_applied: takesCatalogs(shown) }),
    ...(request.property_list && { property_list_applied: listed !== undefined }),
    ...(errors.length > 0 && { errors }),
    ...scope,
    ...feed,
    ...(first && rules.searchDiagnostics && diagnosed(request, selecting)),
    pagination: page.pagination,
    ...(principal?.sandbox && { sandbox: true }),
  }
}

async function selectingOf(request: GetProductsRequest & DiscoveryTerms, context: PublicContext, snapshot: VisibleProducts) {
  const { wiring, contracts } = context.services
  const keepsOf = keptTargeting(context)
  return {
    index: await snapshot.index(),
    brief: briefOf(request),
    principalId: context.principal?.principalId,
    isStandardFormat: isStandardFormatOf(wiring.agentUrl),
    declare: snapshot.declare,
    keepsOf,
    terms: discoveryTests(laterTerms(request, context) ?? {}, keepsOf),
    features: mediaBuyFeatures(new Set(wiring.tasks.keys()), contracts.base.manifest.specialisms),
  }
}

/** What the filters excluded. The entries of `refine` choose products by themselves. */
function diagnosed({ buying_mode: mode, filters }: GetProductsRequest, selecting: Parameters<typeof filterDiagnostics>[1]) {
  const diagnostics = mode === 'refine' ? undefined : filterDiagnostics(filters, selecting)
  return diagnostics && { filter_diagnostics: diagnostics }
}

/** A hint, not a refusal: the rest of the request was answered. */
const LIST_NOT_READ: NonNullable<GetProductsResponse['errors']>[number] = {
  code: 'UNSUPPORTED_FEATURE',
  message: 'property_list was not applied: this seller does not read external lists at discovery',
  field: 'property_list',
  recovery: 'correctable',
  suggestion: 'pass the list as targeting_overlay.property_list of a package',
}
