import { erasePersonalData } from '../../operator/privacy/erase-personal-data.ts'
import { actRoute, doAct } from '../do-act.ts'
import { written } from '../form-text.ts'
import { count } from '../format.ts'
import { type Html, html } from '../html.ts'
import { act, csrfField, facts, field, heading } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, type TenantCall } from '../route.ts'

/** Erasing what is stored of one person: counted first, then confirmed. */
export const erasureRoutes: readonly ConsoleRoute[] = [
  actRoute('POST', '/settings/erasure', erasePersonalData, countPage),
  actRoute('POST', '/settings/erasure/confirm', erasePersonalData, erasedPage),
]

export function erasureForm(call: TenantCall): Html {
  return html`<details><summary>Erase one person</summary><form method="post" action="${call.base}/settings/erasure">${csrfField(call)}${field('identifier', 'Identifier of the person', { required: true, hint: 'As buyers send it: the SHA-256 of a mail address or phone number, or a universal id. Or the id that your pages give of a visitor.', autocomplete: 'off' })}<button>Show what is stored</button></form></details>`
}

async function countPage(call: TenantCall): Promise<Answer> {
  const identifier = identifierOf(call)
  const found = await doAct(call, erasePersonalData, { identifier_hash: identifier, dry_run: true })
  const confirm = act(call, `${call.base}/settings/erasure/confirm`, 'Erase it', { kind: 'danger', fields: { identifier } })
  const body = html`${heading('Erase one person')}<section class="panel narrow"><h2>What would be erased</h2>${counts(found)}${confirm} <a class="button" href="${call.base}/settings">Leave it as it is</a></section>`
  return page('Erase one person', body)
}

async function erasedPage(call: TenantCall): Promise<Answer> {
  const erased = await doAct(call, erasePersonalData, { identifier_hash: identifierOf(call) })
  const back = html`<a class="button" href="${call.base}/settings">Back to the settings</a>`
  return page('Erased', html`${heading('Erased', back)}<section class="panel narrow">${counts(erased)}</section>`)
}

function counts({ audiences, members, events, exposures }: Awaited<ReturnType<typeof erasePersonalData.run>>): Html {
  return facts([
    ['Audiences', count(audiences)],
    ['Members of audiences', count(members)],
    ['Conversion events', count(events)],
    ['Ads counted for frequency caps', count(exposures)],
  ])
}

function identifierOf({ form }: TenantCall): string {
  return written(form, 'identifier') ?? ''
}
