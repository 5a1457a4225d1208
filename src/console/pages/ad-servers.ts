import { readCredentials } from '../../operator/ad-servers/ad-server-credentials.ts'
import { listServers, testConnections } from '../../operator/ad-servers/connection-acts.ts'
import { listSettings, type ShownSetting } from '../../operator/ad-servers/manage-ad-servers.ts'
import { readOptions } from '../../operator/ad-servers/read-options.ts'
import { saveDrafts } from '../../operator/ad-servers/save-drafts.ts'
import { changeAdServer, dropAdServer, setUpAdServer, storeCredentials } from '../../operator/ad-servers/setting-acts.ts'
import type { Of } from '../../operator/shape.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { storedFormRoute, withRefusal } from '../form-outcome.ts'
import { written } from '../form-text.ts'
import { moment, words } from '../format.ts'
import { attribute, type Html, html } from '../html.ts'
import { act, badge, choice, csrfField, field, heading, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'
import { filledForm, type Inputs, type SentForm, sentTo, shownField } from '../shown-form.ts'

/** What the form of an ad server calls its inputs. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['products', 'Products'],
  ['drift', 'When an order differs there'],
  ['options', 'Options, as JSON'],
])

/** Where orders are booked: set up, changed, tested and removed on the page of the settings. */
export function adServerRoutes(settingsPage: (call: TenantCall) => Promise<Answer>): readonly ConsoleRoute[] {
  const again = withRefusal(settingsPage)
  return [
    actRoute('POST', '/settings/ad-servers', setUpAdServer, add),
    actRoute('POST', '/settings/ad-servers/test', testConnections, testPage),
    storedFormRoute('/settings/ad-servers/{name}', changeAdServer, { labels: LABELS, read: readSetting, save: change, again }),
    actRoute('POST', '/settings/ad-servers/{name}/credentials', storeCredentials, answerCredentials),
    actRoute('POST', '/settings/ad-servers/{name}/remove', dropAdServer, remove),
  ]
}

const DRIFTS = [
  ['leave', 'show it'],
  ['heal', 'write it again'],
  ['adopt', 'take it over'],
] as const

const TYPES = [
  ['google_ad_manager', 'Google Ad Manager'],
  ['upstream', 'Another sales agent'],
  ['manual', 'A person, by hand'],
  ['embedded', 'The ad server of this program'],
  ['simulator', 'Simulation: nothing is served or billed'],
] as const

/** The ad servers of a publisher, whether what lies there is as it should be, and forms for administrators. */
export async function adServerPanel(call: TenantCall): Promise<Html> {
  const { base } = call
  const { items: servers } = await doAct(call, listServers, {})
  const rows = servers.map((server) => [
    html`${server.name}<small>${server.description}</small>`,
    server.products ? server.products.join(', ') : 'every other product',
    server.simulated ? badge('simulated', 'warn') : server.reconciled ? badge('reconciled', 'good') : badge('booked directly'),
    server.drift === undefined ? '–' : words(server.drift),
    server.credentials_stored_at === null ? '–' : moment(server.credentials_stored_at),
  ])
  const columns = ['Ad server', 'Products', 'Orders', 'When an order differs', 'Credentials stored']
  const test =
    servers.some(({ reconciled }) => reconciled) && act(call, `${base}/settings/ad-servers/test`, 'Test the connections')
  const own = may(call, changeAdServer) ? await listSettings(call.operator, call.tenantId) : []
  return html`<section class="panel" id="ad-servers"><h2>Ad servers</h2>${table('Ad servers', columns, rows)}${test}
${draftLinks(call, servers)}${own.map((setting) => changeForms(call, setting))}
${may(call, setUpAdServer) && html`<p><a class="button" href="${base}/settings/connect-network">Connect Google Ad Manager</a></p>${addForm(call)}`}</section>`
}

/** Products can be drafted from ad servers that list what was sold there. */
function draftLinks(call: TenantCall, servers: readonly Server[]): readonly Html[] {
  if (!may(call, saveDrafts)) return []
  return servers
    .filter(({ suggests, set_by: by }) => suggests === true && by === 'publisher')
    .map(
      ({ name }) =>
        html`<p><a href="${call.base}/settings/ad-servers/${encodeURIComponent(name)}/drafts">Draft products from ${name}</a></p><p><a href="${call.base}/settings/ad-servers/${encodeURIComponent(name)}/orders">Adopt orders of ${name}</a></p>`,
    )
}

type Server = Of<(typeof listServers)['answer']>['items'][number]

/** What the form shows of an ad server as it is stored. */
function inputsOf({
  products,
  drift,
  options,
}: ShownSetting): Inputs & Readonly<Record<'products' | 'drift' | 'options', string>> {
  const ids = products === 'all' ? '' : products.join(', ')
  return { products: ids, drift, options: Object.keys(options).length === 0 ? '' : JSON.stringify(options, null, 1) }
}

function changeForms(call: TenantCall, setting: ShownSetting): Html {
  const { name } = setting
  const stored = inputsOf(setting)
  const path = `${call.base}/settings/ad-servers/${encodeURIComponent(name)}`
  const sent = sentTo(call, path)
  const filled = filledForm(sent, stored)
  const value = (input: keyof typeof stored) => filled.get(input) ?? ''
  return html`<details${attribute('open', sent.size > 0)}><summary>Change ${name}</summary><div class="columns"><form method="post" action="${path}">${csrfField(call)}${shownField(stored)}
${field(`products-${name}`, 'Products', { name: 'products', value: value('products'), hint: 'Ids, comma-separated; empty: every product that no other ad server has.' })}
${choice(`drift-${name}`, 'When an order differs there', DRIFTS, value('drift'), 'drift')}
${optionsField(name, value('options'))}<button aria-label="${`Save ${name}`}">Save</button></form>
<form method="post" action="${path}/credentials">${csrfField(call)}<div class="field"><label for="${`credentials-${name}`}">New credentials, as JSON</label><textarea id="${`credentials-${name}`}" name="credentials" autocomplete="off" spellcheck="false" required></textarea><p class="hint">They are tried first, stored encrypted, and never shown again.</p></div><button aria-label="${`Store the credentials of ${name}`}">Store them</button></form></div>
${act(call, `${path}/remove`, 'Remove', { kind: 'danger', name: `Remove ${name}` })}</details>`
}

function addForm(call: TenantCall): Html {
  return html`<details><summary>Add an ad server</summary><form class="narrow" method="post" action="${call.base}/settings/ad-servers">${csrfField(call)}
${field('new-name', 'Name', { name: 'name', of: setUpAdServer.fields.name, required: true })}
${choice('new-type', 'Type', TYPES, 'google_ad_manager', 'type')}
${field('new-products', 'Products', { name: 'products', hint: 'Ids, comma-separated; empty: every product that no other ad server has.' })}
${choice('new-drift', 'When an order differs there', DRIFTS, 'leave', 'drift')}
${optionsField('new')}<button class="primary">Add the ad server</button><p class="hint">Its credentials come next. The documentation of ad servers has the options of each type.</p></form></details>`
}

function optionsField(id: string, stored = ''): Html {
  return html`<div class="field"><label for="${`options-${id}`}">Options, as JSON</label><textarea id="${`options-${id}`}" name="options" spellcheck="false">${stored}</textarea><p class="hint">Empty: they stay as they are; nothing secret.</p></div>`
}

async function add(call: TenantCall): Promise<Answer> {
  const { form, base } = call
  const textOf = (name: string) => written(form, name) ?? ''
  await doAct(call, setUpAdServer, { name: textOf('name'), type: textOf('type'), ...settingsOf(form) })
  return redirect(`${base}/settings`, 'added')
}

async function readSetting({ operator, tenantId, params }: TenantCall): Promise<Inputs> {
  const setting = (await listSettings(operator, tenantId)).find(({ name }) => name === params.name)
  return setting ? inputsOf(setting) : {}
}

async function change(call: TenantCall, { isChanged, changedOf }: SentForm): Promise<Answer> {
  const { params, form, base } = call
  const { drift, options, ...served } = settingsOf(form)
  const members = { ...(isChanged('products') && served), ...changedOf({ drift, options }) }
  await doAct(call, changeAdServer, { name: params.name, ...members })
  return redirect(`${base}/settings`, 'changed')
}

async function answerCredentials(call: TenantCall): Promise<Answer> {
  const { params, form, base } = call
  const credentials = readCredentials(form.get('credentials') ?? '')
  await doAct(call, storeCredentials, { name: params.name, credentials })
  return redirect(`${base}/settings`, 'changed')
}

async function remove(call: TenantCall): Promise<Answer> {
  const { params, base } = call
  await doAct(call, dropAdServer, { name: params.name })
  return redirect(`${base}/settings`, 'removed')
}

function settingsOf(form: URLSearchParams) {
  const ids = (form.get('products') ?? '').split(',').flatMap((id) => id.trim() || [])
  const drift = DRIFTS.find(([value]) => value === form.get('drift'))?.[0]
  const options = readOptions(form.get('options') ?? '')
  return { ...(ids.length === 0 ? { all_products: true } : { products: ids }), drift, options }
}

async function testPage(call: TenantCall): Promise<Answer> {
  const { base } = call
  const { items } = await doAct(call, testConnections, {})
  const rows = items.map(({ name, ok, reason, warnings = [] }) => [
    name,
    ok ? badge('answers', 'good') : badge('does not answer', 'bad'),
    html`${reason}${warnings.map((warning) => html`<p>${badge('soon', 'warn')} ${warning}</p>`)}`,
  ])
  const back = html`<a class="button" href="${base}/settings">Back to the settings</a>`
  const body = html`${heading('Test of the ad servers', back)}${table('Ad servers', ['Ad server', 'Outcome', 'Reason'], rows)}`
  return page('Test of the ad servers', body)
}
