import type { AccountReference } from '@adcp/sdk/types'
import { failureOf, unknownScenario } from '../../domain/compliance/outcome.ts'
import type { Params } from '../../domain/compliance/params.ts'
import { REPORTING_SCENARIOS } from '../../domain/protocol/controller-scenarios.ts'
import { canPublishAt } from '../../domain/reporting/offering.ts'
import { type AuthenticatedContext, defineTask } from '../../pipeline/task.ts'
import { isObject } from '../../protocol/is-object.ts'
import { forceAudienceStatus } from './force-audience-status.ts'
import { forceCreateMediaBuyArm } from './force-create-media-buy-arm.ts'
import { forceCreativePurge } from './force-creative-purge.ts'
import { forceDiscoveryArm } from './force-discovery-arm.ts'
import { forceSessionStatus } from './force-session-status.ts'
import { forceAccountStatus, forceCreativeStatus, forceMediaBuyStatus } from './force-status.ts'
import { forceTaskCompletion } from './force-task-completion.ts'
import { forceUpstreamUnavailable } from './force-upstream-unavailable.ts'
import { probeDirectBuy, probeProposals } from './probe-compact-lifecycle.ts'
import { probeReporting } from './probe-reporting.ts'
import { probeReportingIntegrity } from './probe-reporting-integrity.ts'
import { queryAuditObservations } from './query-audit-observations.ts'
import type { Scenario } from './scenario.ts'
import { seedAccount } from './seed-account.ts'
import { seedCreative, seedMediaBuy } from './seed-library.ts'
import { seedPlan } from './seed-plan.ts'
import { seedCreativeFormat, seedPricingOption, seedProduct } from './seed-products.ts'
import { simulateDelivery } from './simulate-delivery.ts'
import { type LineReports, reportsForSpend, simulateBudgetSpend } from './simulate-spend.ts'

interface ControllerRequest {
  readonly scenario: string
  readonly params?: Params
  readonly account?: AccountReference
}

const SCENARIOS: ReadonlyMap<string, Scenario> = new Map(
  Object.entries({
    force_creative_status: forceCreativeStatus,
    force_creative_purge: forceCreativePurge,
    force_account_status: forceAccountStatus,
    force_audience_status: forceAudienceStatus,
    force_media_buy_status: forceMediaBuyStatus,
    force_session_status: forceSessionStatus,
    force_create_media_buy_arm: forceCreateMediaBuyArm,
    force_get_products_arm: forceDiscoveryArm('get_products'),
    force_get_signals_arm: forceDiscoveryArm('get_signals'),
    force_task_completion: forceTaskCompletion,
    force_upstream_unavailable: forceUpstreamUnavailable,
    query_provenance_audit_observations: queryAuditObservations,
    simulate_delivery: simulateDelivery,
    simulate_budget_spend: simulateBudgetSpend,
    reporting_core_lifecycle_probe: probeReporting,
    reliable_reporting_core_integrity_probe: probeReportingIntegrity,
    compact_product_lifecycle_probe: probeProposals,
    compact_direct_buy_lifecycle_probe: probeDirectBuy,
    seed_account: seedAccount,
    seed_product: seedProduct,
    seed_pricing_option: seedPricingOption,
    seed_creative_format: seedCreativeFormat,
    seed_creative: seedCreative,
    seed_media_buy: seedMediaBuy,
    seed_plan: seedPlan,
  }),
)

/** What `prepare` hands on: reports of the ad server, or why the parameters are no good. */
type Prepared = { readonly reports: LineReports } | { readonly failure: object }

/**
 * Drives the facts and dates of a sandbox agent for the official compliance suite. Everything goes through the product's own rules and tables;
 * nothing there knows that it was forced. A scenario that fails is an answer, `{success: false, error}`, not a protocol error.
 */
export const complyTestController = defineTask<ControllerRequest>()({
  name: 'comply_test_controller',
  mutating: true,
  access: 'authenticated',
  scope: 'compliance',
  sandboxOnly: true,
  takesAnyMember: true,
  summary: 'Sandbox only: seed fixtures, force states and simulate delivery for compliance tests.',
  async prepare({ scenario, params = {} }, context): Promise<Prepared> {
    if (scenario !== 'simulate_budget_spend') return { reports: new Map() }
    try {
      return { reports: await reportsForSpend(params, context) }
    } catch (error) {
      return { failure: failureOf(error) }
    }
  },
  async handle({ scenario, params, account }, context, prepared) {
    const names = [...SCENARIOS.keys()].filter((name) => !REPORTING_SCENARIOS.includes(name) || hasReports(context))
    if (scenario === 'list_scenarios') return { success: true, scenarios: names }
    const run = SCENARIOS.get(scenario)
    if (!run || !names.includes(scenario)) return unknownScenario(names)
    if ('failure' in prepared) return prepared.failure
    try {
      return await run(isObject(params) ? params : {}, context, { reports: prepared.reports, account })
    } catch (error) {
      return failureOf(error)
    }
  },
})

/** Whether reports can be configured and read, in the release of the call. */
function hasReports({ contract, services }: AuthenticatedContext): boolean {
  return contract.has('get_reporting_status') && canPublishAt(new URL(services.wiring.agentUrl).origin)
}
