import { readCredentials } from '../../operator/ad-servers/ad-server-credentials.ts'
import { readOptions } from '../../operator/ad-servers/read-options.ts'
import { setUpAdServer } from '../../operator/ad-servers/setting-acts.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { actRoute, doAct } from '../do-act.ts'
import { chosenIn, written } from '../form-text.ts'
import { attribute, html } from '../html.ts'
import { csrfField, field, heading } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, largeForm, page, redirect, type TenantCall } from '../route.ts'

/** A network of Google Ad Manager is connected; drafts of its products come next. */
export const connectNetworkRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/settings/connect-network', setUpAdServer, async (call) => formPage(call)),
  largeForm(actRoute('POST', '/settings/connect-network', setUpAdServer, connect)),
]

const TITLE = 'Connect Google Ad Manager'

function formPage(call: TenantCall, refusal?: AdcpError): Answer {
  const { form } = call
  const byApi = form.get('creatives') !== 'by_hand'
  const creatives = [
    ['api', 'By this program, with the SOAP API', byApi],
    ['by_hand', 'By people, from a sheet', !byApi],
  ] as const
  const radios = creatives.map(
    ([value, title, chosen]) =>
      html`<label class="option"><input type="radio" name="creatives" value="${value}"${attribute('checked', chosen)}> ${title}</label>`,
  )
  const lead = 'The network is asked whether it takes the key. No product is served by it until you draft and save one.'
  const body = html`${heading(TITLE, undefined, lead)}${refusal && html`<p class="notice bad" role="alert">${refusal.message}</p>`}
<section class="panel narrow"><form method="post" action="${call.base}/settings/connect-network" enctype="multipart/form-data">${csrfField(call)}
${field('network', 'Network code', { value: form.get('network') ?? '', required: true, hint: 'Digits: Admin, Global settings in Google Ad Manager. API access is switched on there, too.' })}
${field('name', 'Name here', { value: form.get('name') ?? 'gam', of: setUpAdServer.fields.name, required: true })}
<div class="field"><label for="key">Key file of the service account (JSON)</label><input id="key" name="key" type="file" accept=".json,application/json" required><p class="hint">The account is a user of the network. The key is stored encrypted, and never shown again.</p></div>
<fieldset class="field"><legend>Creatives are put on lines</legend>${radios}</fieldset>
<div class="field"><details><summary>More options</summary><div class="field"><label for="options">Options, as JSON</label><textarea id="options" name="options" spellcheck="false">${form.get('options') ?? ''}</textarea></div></details></div>
<button class="primary">Connect the network</button></form></section>`
  return page(TITLE, body, { refusal })
}

async function connect(call: TenantCall): Promise<Answer> {
  const { form, file, base } = call
  const name = written(form, 'name') ?? ''
  try {
    if (!file) throw new AdcpError('INVALID_REQUEST', 'choose the key file of the service account', { field: 'credentials' })
    const creatives = chosenIn(form, 'creatives', ['api', 'by_hand'])
    const options = { ...readOptions(form.get('options') ?? ''), creatives }
    const credentials = readCredentials(new TextDecoder().decode(file.bytes))
    await doAct(call, setUpAdServer, { name, network: written(form, 'network') ?? '', products: [], options, credentials })
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    return formPage(call, error)
  }
  return redirect(`${base}/settings/ad-servers/${encodeURIComponent(name)}/drafts`, 'added')
}
