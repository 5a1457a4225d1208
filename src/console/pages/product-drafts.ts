import { DRAFT_FORMATS } from '../../domain/ad-serving/product-draft.ts'
import { currencyOf } from '../../domain/identity/publisher-settings.ts'
import { listUnits, suggestFromAdServer } from '../../operator/ad-servers/inventory-acts.ts'
import { saveDrafts } from '../../operator/ad-servers/save-drafts.ts'
import type { Of } from '../../operator/shape.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { DRAFTS_OF_PAGE, type DraftedForm, documentOf, draftsOf, draftsOfForm, formatsIn } from '../draft-of-product.ts'
import { written } from '../form-text.ts'
import { attribute, type Html, html } from '../html.ts'
import { draftsForm } from '../parts/draft-fields.ts'
import { empty, field, heading } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'

/** Products drafted from the ad units of an ad server and what was sold on them. */
export const productDraftRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/settings/ad-servers/{name}/drafts', suggestFromAdServer, showPage),
  actRoute('POST', '/settings/ad-servers/{name}/drafts', saveDrafts, save),
]

const TITLE = 'Products from an ad server'
/** Units that are shown to choose from; a search narrows them. */
const MOST_UNITS = 100
/** Pages of 1,000 that are searched. */
const MOST_PAGES = 20

type Unit = Of<(typeof listUnits)['answer']>['items'][number]

async function showPage(call: TenantCall): Promise<Answer> {
  return call.query.get('step') === 'drafts' ? suggestionsPage(call) : choicePage(call)
}

function pathOf({ base, params }: TenantCall): string {
  return `${base}/settings/ad-servers/${encodeURIComponent(params.name ?? '')}/drafts`
}

async function choicePage(call: TenantCall): Promise<Answer> {
  const { query, tenant, params } = call
  const search = written(query, 'search') ?? ''
  const { units, more } = await findUnits(call, search)
  const lead =
    'Choose ad units and formats. You get up to ten drafts, with prices and keys from what was sold there. Nothing is stored before you save it.'
  const body = html`${heading(TITLE, undefined, html`${lead} <span class="id">${params.name}</span>`)}<form method="get" action="${pathOf(call)}"><section class="panel narrow">${field('search', 'Name of an ad unit has', { value: search, hint: 'Empty: all of them.' })}<button>Find ad units</button></section>
${units.length === 0 ? empty('No ad unit has a size that there is a format for', 'Search for another name, or add sizes to ad units in the ad server.') : choices(units, more, currencyOf(tenant.settings))}</form>`
  return page(TITLE, body)
}

function choices(units: readonly Unit[], more: boolean, currency: string): Html {
  const boxes = units.map(
    ({ id, name, sizes = [] }) =>
      html`<label class="option"><input type="checkbox" name="units" value="${id}"> ${name}<small>${id}, ${sizes.join(' ')}</small></label>`,
  )
  const formats = DRAFT_FORMATS.map(
    (format) =>
      html`<label class="option"><input type="checkbox" name="formats" value="${format}"${attribute('checked', format !== 'tag')}> ${FORMAT_TITLES[format]}</label>`,
  )
  return html`<section class="panel"><fieldset class="field"><legend>Ad units</legend>${boxes}<p class="hint">None ticked: those of the search that delivered most.${more && ` The first ${MOST_UNITS} are shown; search for a name to see others.`}</p></fieldset>
<fieldset class="field"><legend>Formats</legend>${formats}</fieldset>${field('currency', 'Currency of the prices', { value: currency })}
<button class="primary" name="step" value="drafts">Draft products</button></section>`
}

const FORMAT_TITLES = { image: 'Images', html5: 'HTML5', tag: 'Tags of other ad servers' } as const

/** Ad units with a size whose name has a text. */
async function findUnits(call: TenantCall, search: string) {
  const words = search.toLowerCase()
  const units: Unit[] = []
  let cursor: string | undefined
  for (let at = 0; at < MOST_PAGES && units.length <= MOST_UNITS; at += 1) {
    const found = await doAct(call, listUnits, { name: call.params.name, cursor })
    const fits = ({ kind, name, sizes = [] }: Unit) =>
      kind === 'ad_unit' && sizes.length > 0 && name.toLowerCase().includes(words)
    units.push(...found.items.filter(fits))
    if (found.next_cursor === null) break
    cursor = found.next_cursor
  }
  return { units: units.slice(0, MOST_UNITS), more: units.length > MOST_UNITS }
}

async function suggestionsPage(call: TenantCall): Promise<Answer> {
  const { query, params } = call
  const [currency, formats, units] = [
    written(query, 'currency') ?? currencyOf(call.tenant.settings),
    formatsIn(query.getAll('formats')),
    query.getAll('units'),
  ]
  const search = units.length === 0 ? written(query, 'search') : undefined
  const asked = { name: params.name, currency, formats, most: DRAFTS_OF_PAGE, search, ...(units.length > 0 && { units }) }
  const drafts = draftsOf(await doAct(call, suggestFromAdServer, asked))
  return draftsPage(call, { drafts, currency, formats, status: 'paused' })
}

function draftsPage(call: TenantCall, drafted: DraftedForm, refusal?: AdcpError): Answer {
  const back = html`<a class="button" href="${pathOf(call)}">Other ad units</a>`
  const lead = 'Look at each draft, change what you like, and save those that you want to sell.'
  const problems = (refusal?.issues ?? []).map(({ pointer, message }) => html`<li><code>${pointer}</code> ${message}</li>`)
  const body = html`${heading(TITLE, back, lead)}
${refusal && html`<div class="notice bad" role="alert"><p>${refusal.message}</p>${problems.length > 0 && html`<ul>${problems}</ul>`}</div>`}
${drafted.drafts.length === 0 ? empty('Nothing to draft', 'None of these ad units has a size that there is a format for.') : draftsForm(call, pathOf(call), drafted, may(call, saveDrafts))}`
  return page(TITLE, body, { refusal })
}

async function save(call: TenantCall): Promise<Answer> {
  const { form, params, base, tenant } = call
  const drafted = draftsOfForm(form)
  try {
    await doAct(call, saveDrafts, { name: params.name, drafts: documentOf(drafted, tenant.domain) })
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    return draftsPage(call, drafted, error)
  }
  return redirect(`${base}/products`, 'added')
}
