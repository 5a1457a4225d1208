/** Features with the tasks that belong to them; a seller that serves any one of these declares the feature (AdCP reference/experimental-status). */
const TASKS: readonly (readonly [string, readonly string[]])[] = [
  ['account.change_feed', ['list_account_changes']],
  ['brand.rights_lifecycle', ['get_rights', 'acquire_rights', 'update_rights']],
  [
    'governance.campaign',
    ['sync_plans', 'check_governance', 'report_plan_outcome', 'report_plan_adjustment', 'get_plan_audit_logs'],
  ],
  ['media_buy.reporting_delivery', ['get_reporting_status', 'sync_reporting_status', 'sync_reporting_receipts']],
  ['protocol.principal', ['get_principal', 'sync_principal']],
  ['sponsored_intelligence.core', ['si_get_offering', 'si_initiate_session', 'si_send_message', 'si_terminate_session']],
]

/** What may change between releases of what a publisher offers. `trustedMatch`: whether its packages are matched by Trusted Match. */
export function experimentalFeatures(tasks: ReadonlySet<string>, trustedMatch: boolean): readonly string[] {
  const served = TASKS.filter(([, names]) => names.some((name) => tasks.has(name))).map(([feature]) => feature)
  return trustedMatch ? [...served, 'trusted_match.core'] : served
}
