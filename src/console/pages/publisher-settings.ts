import { erasePersonalData } from '../../operator/privacy/erase-personal-data.ts'
import type { ShownTenant } from '../../operator/tenants/present-tenant.ts'
import { setPublisher, setSettings, showSettings } from '../../operator/tenants/tenant-acts.ts'
import { actRoute, doAct, may, mayOnDeployment } from '../do-act.ts'
import { written } from '../form-text.ts'
import { attribute, type Html, html } from '../html.ts'
import { choice, csrfField, facts, field } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, redirect, type TenantCall } from '../route.ts'
import { changedInputs, type Inputs, onlyChanged, shownField, whileStored } from '../shown-form.ts'
import { erasureForm } from './erasure.ts'

/** What administrators change of a publisher. */
export const publisherSettingsRoutes: readonly ConsoleRoute[] = [
  actRoute('POST', '/settings/publisher', setSettings, savePublisher),
]

const LABELS: ReadonlyMap<string, string> = new Map([
  ['name', 'Name'],
  ['domain', 'Domain'],
  ['time_zone', 'Time zone'],
  ['currency', 'Currency'],
  ['verify_operators', 'Approval of new accounts'],
  ['governance_agent', 'Governance agent'],
])

/** What the form shows of the publisher as it is stored. */
function inputsOf({ name, domain, settings }: ShownTenant): Inputs {
  const ticked = (is: boolean) => (is ? ['yes'] : [])
  return {
    ...{ name, domain, time_zone: settings.time_zone ?? 'default', currency: settings.currency ?? 'default' },
    verify_operators: ticked(settings.verify_operators),
    governance_agent: ticked(settings.governance_agent),
  }
}

/** Name, domain, time zone and currency. */
export function publisherForm(call: TenantCall): Html {
  const { base, tenant, operator } = call
  const { settings } = tenant
  const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map(
    (zone) => [zone, zone] as const,
  )
  const currencies = Intl.supportedValuesOf('currency').map((code) => [code, code] as const)
  return html`<section class="panel"><h2>Publisher</h2><form method="post" action="${base}/settings/publisher">${csrfField(call)}${shownField(inputsOf(tenant))}
${field('name', 'Name', { value: tenant.name, required: true })}
${field('domain', 'Domain', { value: tenant.domain, required: true })}
${choice('time_zone', 'Time zone', [['default', `As the deployment (${operator.config.ads.timeZone})`], ...zones], settings.time_zone ?? 'default')}
${choice('currency', 'Currency', [['default', 'That of each price'], ...currencies], settings.currency ?? 'default')}
${!tenant.public_default && mayOnDeployment(call, setPublisher) && html`<label class="option"><input type="checkbox" name="public" value="yes"> Answers callers who name no publisher</label><p></p>`}
<fieldset><legend>Accounts and plans</legend><label class="option"><input type="checkbox" name="verify_operators" value="yes"${attribute('checked', settings.verify_operators)}> A new account waits for approval unless the brand names its operator</label>
<label class="option"><input type="checkbox" name="governance_agent" value="yes"${attribute('checked', settings.governance_agent)}> Stores plans of buyers and decides on their spending, as a governance agent</label></fieldset>
<button class="primary">Save</button><p class="hint">Flights, dayparts, reports and months count days of the time zone.</p></form></section>`
}

async function savePublisher(call: TenantCall): Promise<Answer> {
  const { form, base, tenantId: publisher } = call
  const textOf = (name: string) => written(form, name) ?? ''
  const read = async (reader: TenantCall) => inputsOf(await doAct(reader, showSettings, {}))
  const stored = await read(call)
  const changed = changedInputs(form, stored, LABELS)
  const members = {
    name: textOf('name'),
    domain: textOf('domain'),
    time_zone: textOf('time_zone'),
    currency: textOf('currency'),
    verify_operators: form.get('verify_operators') === 'yes',
    governance_agent: form.get('governance_agent') === 'yes',
  }
  const kept = onlyChanged(members, changed)
  const unchanged = whileStored(call, stored, LABELS, read)
  // All of the form or nothing: who answers callers that name no publisher is changed by an act of the deployment, which sets the rest too.
  if (form.get('public') === 'yes') await doAct(unchanged, setPublisher, { publisher, public: true, ...kept })
  else await doAct(unchanged, setSettings, kept)
  return redirect(`${base}/settings`, 'changed')
}

/** How long data about people is stored. The deployment's configuration sets it, for every publisher. */
export function retentionPanel(call: TenantCall): Html {
  const { operator } = call
  const { audienceRetentionDays, eventRetentionDays, minimumAudienceSize } = operator.config.privacy
  return html`<section class="panel"><h2>Personal data</h2>${facts([
    ['Members of audiences', `erased ${audienceRetentionDays} days after their last upload`],
    ['Conversion events', `identifiers are erased after ${eventRetentionDays} days`],
    ['Smallest audience that is sold', `${minimumAudienceSize} members`],
    ['Identifiers', 'stored as keyed hashes, never as they were sent'],
  ])}<p class="hint">Set by <code>privacy</code> in the configuration. </p>${may(call, erasePersonalData) && erasureForm(call)}</section>`
}
