import type { ShownSettings } from '../operator/tenants/present-tenant.ts'
import { table } from './output.ts'

/** The settings of a publisher, one a line, by the options of `tenants set` that change them. */
export function settingLines(tenantId: string, settings: ShownSettings): readonly string[] {
  const { approval_above: limit, billing, releases } = settings
  const rows: readonly (readonly [option: string, value: string])[] = [
    ['--signing-profile', settings.signing_profile],
    ['--verify-operators', onOff(settings.verify_operators)],
    ['--governance-agent', onOff(settings.governance_agent)],
    ['--approval-above', limit === null ? 'never' : `${limit} (total budget of an order, in any currency)`],
    ['--billing', billing.join(',')],
    ['--releases', typeof releases === 'string' ? releases : releases.join(',')],
    ['--time-zone', settings.time_zone ?? 'default'],
    ['--currency', settings.currency ?? 'default'],
    ['(creatives review)', settings.creative_review],
  ]
  return [`settings of ${tenantId}`, '', ...table(['OPTION', 'VALUE'], rows)]
}

function onOff(isOn: boolean): string {
  return isOn ? 'on' : 'off'
}
