import type { GetAdCPCapabilitiesResponse } from '@adcp/sdk/types'

export type ControllerScenarios = NonNullable<GetAdCPCapabilitiesResponse['compliance_testing']>['scenarios']

const CONTROLLER_SCENARIOS: ControllerScenarios = [
  'force_creative_status',
  'force_account_status',
  'force_media_buy_status',
  'force_session_status',
  'simulate_delivery',
  'simulate_budget_spend',
]

/** What 3.1 lists beside: every scenario of the controller (protocol/get-adcp-capabilities-response.json, `compliance_testing`). */
const LATER_SCENARIOS = [
  ...['force_create_media_buy_arm', 'force_get_products_arm', 'force_get_signals_arm', 'force_task_completion'],
  ...['force_audience_status', 'force_creative_purge', 'force_upstream_unavailable', 'query_provenance_audit_observations'],
  ...['compact_product_lifecycle_probe', 'compact_direct_buy_lifecycle_probe'],
  ...[
    'seed_account',
    'seed_product',
    'seed_pricing_option',
    'seed_creative_format',
    'seed_creative',
    'seed_media_buy',
    'seed_plan',
  ],
]

/** Scenarios about reports of delivery (AdCP 3.2), where there are such reports. */
export const REPORTING_SCENARIOS = ['reporting_core_lifecycle_probe', 'reliable_reporting_core_integrity_probe']

/** Scenarios of the compliance controller; `later`: from 3.1 on; `reports`: where reports are configured and read. */
export function scenariosOf({ later, reports }: { readonly later: boolean; readonly reports: boolean }): ControllerScenarios {
  const beside = [...LATER_SCENARIOS, ...(reports ? REPORTING_SCENARIOS : [])]
  return later ? Object.assign([...CONTROLLER_SCENARIOS], [...CONTROLLER_SCENARIOS, ...beside]) : CONTROLLER_SCENARIOS
}
