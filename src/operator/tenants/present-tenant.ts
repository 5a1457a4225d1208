import type { Tenant, TenantSettings } from '../../domain/identity/principal.ts'
import { microsToAmount } from '../../domain/money.ts'
import { BILLING_PARTIES } from '../billing-parties.ts'

export type ShownTenant = ReturnType<typeof presentTenant>
export type ShownSettings = ReturnType<typeof presentSettings>

export function presentTenant({ tenantId, name, domain, isPublicDefault, settings }: Tenant) {
  return { tenant: tenantId, name, domain, public_default: isPublicDefault, settings: presentSettings(settings) }
}

export function presentSettings({ approvalAboveMicros: limit, ...settings }: TenantSettings) {
  return {
    signing_profile: settings.signingProfile ?? 'default',
    verify_operators: settings.verifyOperators === true,
    governance_agent: settings.governanceAgent === true,
    approval_above: limit === undefined ? null : microsToAmount(limit),
    billing: settings.billing ?? BILLING_PARTIES,
    releases: settings.releases ?? 'all',
    time_zone: settings.timeZone ?? null,
    currency: settings.currency ?? null,
    creative_review: settings.creativeReview ?? 'automatic',
  }
}
