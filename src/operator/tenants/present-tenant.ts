import { ADMIN_ROLES } from '../../domain/identity/admin-role.ts'
import { LIFECYCLES } from '../../domain/identity/lifecycle.ts'
import {
  BILLING_PARTIES,
  CREATIVE_REVIEWS,
  SIGNING_PROFILES,
  type Tenant,
  type TenantSettings,
} from '../../domain/identity/principal.ts'
import { currencyOf } from '../../domain/identity/publisher-settings.ts'
import { microsToAmount } from '../../domain/money.ts'
import { holdPolicy } from '../../domain/proposal/hold-policy.ts'
import { billingParty } from '../billing-parties.ts'
import { atMost, required, text } from '../fields.ts'
import { boolean, either, listOf, named, number, type Of, object, orNull, string, word } from '../shape.ts'
import { domainText } from '../text-form.ts'
import { table } from '../text-table.ts'

/** The fields that name a publisher, and say what people call it and where it is. */
export const PUBLISHER_ID = atMost(64, text('its id'))
export const PUBLISHER = required(PUBLISHER_ID)
export const PUBLISHER_NAME = atMost(200, text('name shown to people'))
export const PUBLISHER_DOMAIN = domainText('the publisher’s domain')

export type ShownTenant = Of<typeof tenantShape>
export type ShownSettings = Of<typeof settingsShape>

/** The policy of a publisher. */
export const settingsShape = named(
  'PublisherSettings',
  object({
    signing_profile: word(...SIGNING_PROFILES, 'default'),
    verify_operators: boolean,
    governance_agent: boolean,
    approval_above: orNull(number),
    billing: listOf(billingParty),
    releases: either(word('all'), listOf(string)),
    time_zone: orNull(string),
    currency: orNull(string),
    creative_review: word(...CREATIVE_REVIEWS),
    lifecycle: word(...LIFECYCLES),
    hold_hours: number,
    hold_share: number,
    second_factor: listOf(word(...ADMIN_ROLES)),
    second_factor_at_provider: boolean,
  }),
)

/** A publisher with its policy. */
export const tenantShape = named(
  'PublisherWithSettings',
  object({ tenant: string, name: string, domain: string, public_default: boolean, settings: settingsShape }),
)

export function presentTenant({ tenantId, name, domain, isPublicDefault, settings }: Tenant): ShownTenant {
  return { tenant: tenantId, name, domain, public_default: isPublicDefault, settings: presentSettings(settings) }
}

export function presentSettings({ approvalAboveMicros: limit, ...settings }: TenantSettings): ShownSettings {
  const { hours, share } = holdPolicy(settings)
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
    lifecycle: settings.lifecycle ?? 'both',
    hold_hours: hours,
    hold_share: share,
    second_factor: settings.secondFactor?.roles ?? [],
    second_factor_at_provider: settings.secondFactor?.atProvider === true,
  }
}

/** The settings of a publisher, one a line, by the options of `tenants set` that change them. */
export function settingLines(tenantId: string, settings: ShownSettings): readonly string[] {
  const { approval_above: limit, billing, releases } = settings
  const rows: readonly (readonly [option: string, value: string])[] = [
    ['--signing-profile', settings.signing_profile],
    ['--verify-operators', onOff(settings.verify_operators)],
    ['--governance-agent', onOff(settings.governance_agent)],
    ['--approval-above', limit === null ? 'never' : `${limit} ${currencyOf(settings)} (total budget of an order)`],
    ['--billing', billing.join(',')],
    ['--releases', typeof releases === 'string' ? releases : releases.join(',')],
    ['--time-zone', settings.time_zone ?? 'default'],
    ['--currency', settings.currency ?? 'default'],
    ['--lifecycle', settings.lifecycle],
    ['--hold-hours', `${settings.hold_hours}`],
    ['--hold-share', `${settings.hold_share} (per cent of a product’s day, for each buyer)`],
    ['--second-factor', settings.second_factor.join(',') || 'none'],
    ['--second-factor-at-provider', onOff(settings.second_factor_at_provider)],
    ['(creatives review)', settings.creative_review],
  ]
  return [`settings of ${tenantId}`, '', ...table(['OPTION', 'VALUE'], rows)]
}

function onOff(isOn: boolean): string {
  return isOn ? 'on' : 'off'
}
