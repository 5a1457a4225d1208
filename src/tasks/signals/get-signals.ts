import type { GetSignalsRequest, GetSignalsResponse } from '@adcp/sdk/types'
import { type Account, accountScopeOf, hasSuiteOverlay } from '../../domain/account/account.ts'
import { cacheScope, feedVersion, knownVersion } from '../../domain/feed-version.ts'
import { pageOf } from '../../domain/page.ts'
import { simulationMembers } from '../../domain/protocol/simulated-backends.ts'
import type { Deployment } from '../../domain/signal/deployment.ts'
import { presentSignal } from '../../domain/signal/present-signal.ts'
import { hasAgreedPrices, pricesFor } from '../../domain/signal/prices.ts'
import { selectSignals } from '../../domain/signal/select-signals.ts'
import type { Signal } from '../../domain/signal/signal.ts'
import { signalIdOf } from '../../domain/signal/signal-id.ts'
import { type AuthenticatedContext, defineTask } from '../../pipeline/task.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { findDeployments } from '../../store/signal/signal-deployments.ts'
import { summarizeSignals } from './summaries.ts'

/** AdCP get-signals-request, `max_results`: the most that the deprecated member may ask for. */
const MOST_RESULTS = 100

export const getSignals = defineTask<GetSignalsRequest, GetSignalsResponse | Unchanged>()({
  name: 'get_signals',
  access: 'authenticated',
  scope: 'signals',
  account: 'optional',
  summary: 'Find signals (audiences, context) by description or id: coverage, prices, and where they are or can be activated.',
  summarize: summarizeSignals,
  takesValue: ({ pointer, keyword }, request) => pointer === '' && keyword === 'not' && isWholesaleBesideText(request),
  async handle(request, context) {
    const { tenant, principal, account, services, tx, now } = context
    const { agentUrl } = services.wiring
    const { index } = await services.signals.load(tenant)
    const { signal_spec: spec, signal_ids: ids, filters, countries, destinations } = request
    const isWholesale = 'discovery_mode' in request && request.discovery_mode === 'wholesale'
    const question = {
      spec: isWholesale ? undefined : spec,
      ids: isWholesale ? index.signals.map((signal) => signalIdOf(signal, agentUrl)) : ids,
      filters,
      countries,
      destinations,
    }
    const selected = selectSignals(index, question, { principalId: principal.principalId, account, agentUrl })
    const hasPrices = hasSuiteOverlay(account, principal) || selected.some((signal) => hasAgreedPrices(signal, account))
    const feed = await wholesaleFeed(request, selected, hasPrices ? account : undefined)
    const scope = (isForAccount: boolean) => (context.contract.rules.cacheScope ? cacheScope(isForAccount) : {})
    if (feed && 'unchanged' in feed) return { ...feed, ...scope(hasPrices) }
    const page = pageOf(selected, ({ segmentId }) => segmentId, boundTo(request, context), pageRequest(request))
    const segmentIds = page.items.map(({ segmentId }) => segmentId)
    const deployments = bySegment(await findDeployments(tx, accountScopeOf(principal, account), segmentIds))
    const signals = page.items.map((signal) =>
      presentSignal(signal, {
        agentUrl,
        prices: pricesFor(signal, account),
        deployments: deployments.get(signal.segmentId) ?? [],
        destinations,
        now,
      }),
    )
    // A signal is simulated where somebody finds that it is live somewhere.
    const inSandbox = account?.sandbox === true || principal.sandbox
    const members = inSandbox || deployments.size > 0 ? simulationMembers(services.signals, { inSandbox }) : {}
    return {
      signals,
      ...scope(hasPrices || deployments.size > 0),
      ...feed,
      ...(isWholesale && spec !== undefined && spec !== '' && { ext: { notes: [SPEC_NOT_APPLIED] } }),
      pagination: page.pagination,
      ...members,
    }
  },
})

/** What the text of a wholesale request does: nothing, since all signals are listed. The official runner of 3.1 sends one, which the schema forbids. */
const SPEC_NOT_APPLIED = 'discovery_mode "wholesale" lists every signal: signal_spec was not applied'

function isWholesaleBesideText(request: object): boolean {
  const {
    discovery_mode: mode,
    signal_spec: spec,
    signal_refs: refs,
    signal_ids: ids,
  }: Readonly<Record<string, unknown>> = { ...request }
  return mode === 'wholesale' && typeof spec === 'string' && refs === undefined && ids === undefined
}

interface Feed {
  readonly wholesale_feed_version: string
}

interface Unchanged extends Feed {
  readonly unchanged: true
}

/** The version of all signals (AdCP 3.1, `discovery_mode: wholesale`); undefined for a search. */
async function wholesaleFeed(
  request: GetSignalsRequest,
  selected: readonly Signal[],
  account: Account | undefined,
): Promise<Feed | Unchanged | undefined> {
  if (!('discovery_mode' in request) || request.discovery_mode !== 'wholesale') return undefined
  const rows = selected.map((signal) => [signal.document, pricesFor(signal, account)])
  const version = await inTurns(feedVersion([account?.accountId, request.filters, request.countries, request.destinations], rows))
  return { wholesale_feed_version: version, ...(knownVersion(request) === version && { unchanged: true }) }
}

/** What a cursor belongs to: everything that decides which signals are listed, and in which order. */
function boundTo(request: GetSignalsRequest, { principal, account }: AuthenticatedContext): unknown {
  const { signal_spec, signal_ids, filters, countries, destinations } = request
  const { tenantId, principalId } = principal
  const query = { signal_spec, signal_ids, filters, countries, destinations }
  return ['get_signals', tenantId, principalId, account?.accountId ?? null, query]
}

/** `pagination.max_results` comes before the deprecated `max_results`. */
function pageRequest({ pagination, max_results }: GetSignalsRequest): NonNullable<GetSignalsRequest['pagination']> {
  return max_results === undefined ? { ...pagination } : { max_results: Math.min(max_results, MOST_RESULTS), ...pagination }
}

function bySegment(deployments: readonly Deployment[]): ReadonlyMap<string, readonly Deployment[]> {
  const groups = new Map<string, Deployment[]>()
  for (const deployment of deployments) {
    groups.set(deployment.segmentId, [...(groups.get(deployment.segmentId) ?? []), deployment])
  }
  return groups
}
