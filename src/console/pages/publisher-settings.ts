import { ADMIN_ROLES } from '../../domain/identity/admin-role.ts'
import { erasePersonalData } from '../../operator/privacy/erase-personal-data.ts'
import type { ShownTenant } from '../../operator/tenants/present-tenant.ts'
import { setPublisher, setSettings, showSettings } from '../../operator/tenants/tenant-acts.ts'
import { doAct, doChanges, may } from '../do-act.ts'
import { storedFormRoute, withRefusal } from '../form-outcome.ts'
import { tickedIn, written } from '../form-text.ts'
import { words } from '../format.ts'
import { attribute, type Html, html } from '../html.ts'
import { choice, csrfField, facts, field } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, redirect, type TenantCall } from '../route.ts'
import { filledForm, type Inputs, type SentForm, sentTo, shownField } from '../shown-form.ts'
import { erasureForm } from './erasure.ts'

const LABELS: ReadonlyMap<string, string> = new Map([
  ['name', 'Name'],
  ['domain', 'Domain'],
  ['time_zone', 'Time zone'],
  ['currency', 'Currency'],
  ['verify_operators', 'Approval of new accounts'],
  ['governance_agent', 'Governance agent'],
  ['second_factor', 'Roles that need a second factor'],
  ['second_factor_at_provider', 'Second factor at the identity provider'],
])

/** What the form shows of the publisher as it is stored. */
function inputsOf({ name, domain, settings }: ShownTenant): Inputs {
  const ticked = (is: boolean) => (is ? ['yes'] : [])
  return {
    ...{ name, domain, time_zone: settings.time_zone ?? 'default', currency: settings.currency ?? 'default' },
    verify_operators: ticked(settings.verify_operators),
    governance_agent: ticked(settings.governance_agent),
    second_factor: settings.second_factor,
    second_factor_at_provider: ticked(settings.second_factor_at_provider),
  }
}

/** What administrators change of a publisher, on the page of its settings. */
export function publisherSettingsRoutes(settingsPage: (call: TenantCall) => Promise<Answer>): readonly ConsoleRoute[] {
  const read = async (call: TenantCall) => inputsOf(await doAct(call, showSettings, {}))
  const again = withRefusal(settingsPage)
  return [storedFormRoute('/settings/publisher', setSettings, { labels: LABELS, read, save: savePublisher, again })]
}

/** Name, domain, time zone and currency. */
export function publisherForm(call: TenantCall): Html {
  const { base, tenant, operator } = call
  const path = `${base}/settings/publisher`
  const stored = inputsOf(tenant)
  const filled = filledForm(sentTo(call, path), stored)
  const value = (name: string) => filled.get(name) ?? ''
  const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map(
    (zone) => [zone, zone] as const,
  )
  const currencies = Intl.supportedValuesOf('currency').map((code) => [code, code] as const)
  return html`<section class="panel"><h2>Publisher</h2><form method="post" action="${path}">${csrfField(call)}${shownField(stored)}
${field('name', 'Name', { value: value('name'), of: setSettings.fields.name, required: true })}
${field('domain', 'Domain', { value: value('domain'), of: setSettings.fields.domain, required: true })}
${choice('time_zone', 'Time zone', [['default', `As the deployment (${operator.config.ads.timeZone})`], ...zones], value('time_zone'))}
${choice('currency', 'Currency', [['default', 'That of each price'], ...currencies], value('currency'))}
${!tenant.public_default && may(call, setPublisher) && html`<label class="option"><input type="checkbox" name="public" value="yes"> Answers callers who name no publisher</label><p></p>`}
<fieldset><legend>Accounts and plans</legend><label class="option"><input type="checkbox" name="verify_operators" value="yes"${attribute('checked', filled.has('verify_operators'))}> A new account waits for approval unless the brand names its operator</label>
<label class="option"><input type="checkbox" name="governance_agent" value="yes"${attribute('checked', filled.has('governance_agent'))}> Stores plans of buyers and decides on their spending, as a governance agent</label></fieldset>
${factorFields(call, filled)}
<button class="primary">Save</button><p class="hint">Flights, dayparts, reports and months count days of the time zone.</p></form></section>`
}

/** Whose sign-in needs a second factor. What the deployment asks of everybody cannot be taken back here. */
function factorFields({ operator }: TenantCall, filled: URLSearchParams): Html {
  const { secondFactor: ofDeployment } = operator.config.console
  const chosen = filled.getAll('second_factor')
  const roles = ADMIN_ROLES.toReversed().map(
    (role) =>
      html`<label class="option"><input type="checkbox" name="second_factor" value="${role}"${attribute('checked', chosen.includes(role))}> ${words(role)}${ofDeployment.includes(role) && ' (asked by the deployment in any case)'}</label>`,
  )
  const provider =
    operator.config.oauth.identityProvider &&
    html`<label class="option"><input type="checkbox" name="second_factor_at_provider" value="yes"${attribute('checked', filled.has('second_factor_at_provider'))}> Also after a sign-in at the identity provider, which otherwise asks for its own</label>`
  return html`<fieldset><legend>Roles that need a second factor</legend>${roles}${provider}<p class="hint">People of these roles who have none are asked to set one up before anything else, from their next click on.</p></fieldset>`
}

async function savePublisher(call: TenantCall, { changedOf }: SentForm): Promise<Answer> {
  const { form, base, tenantId: publisher } = call
  const textOf = (name: string) => written(form, name) ?? ''
  const members = {
    name: textOf('name'),
    domain: textOf('domain'),
    time_zone: textOf('time_zone'),
    currency: textOf('currency'),
    verify_operators: tickedIn(form, 'verify_operators'),
    governance_agent: tickedIn(form, 'governance_agent'),
    second_factor: form.getAll('second_factor'),
    second_factor_at_provider: tickedIn(form, 'second_factor_at_provider'),
  }
  const changed = changedOf(members)
  // All of the form or nothing: who answers callers that name no publisher is changed by an act of the deployment, which sets the rest too.
  if (tickedIn(form, 'public')) await doChanges(call, setPublisher, { publisher, public: true, ...changed })
  else await doChanges(call, setSettings, changed)
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
