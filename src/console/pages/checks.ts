import { listOwnChecks } from '../../operator/seller-checks/list-own-checks.ts'
import { showOwnCheck } from '../../operator/seller-checks/show-own-check.ts'
import { actRoute, doAct } from '../do-act.ts'
import { moment } from '../format.ts'
import { html } from '../html.ts'
import { badge, empty, heading, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, type TenantCall } from '../route.ts'

/** The checks of this agent by itself. */
export const checkRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/checks', listOwnChecks, checksPage),
  actRoute('GET', '/checks/{period}', showOwnCheck, checkPage),
]

const LEAD = 'What this agent promises to buyers by the protocol, tried by itself with a buyer’s key, as verify-seller tries it.'

const TONES = { held: 'good', broken: 'bad', 'not verified': 'calm' } as const

async function checksPage(call: TenantCall): Promise<Answer> {
  const { items } = await doAct(call, listOwnChecks, {})
  const rows = items.map(({ period, ended_at: at, held, broken, published_at: published }) => [
    html`<a href="${call.base}/checks/${period}">${period}</a>`,
    moment(at),
    held.length,
    broken.length === 0 ? 'none' : html`${badge('broken', 'bad')} ${broken.join(', ')}`,
    published === null ? 'no' : html`<a href="${published}">for everybody</a>`,
  ])
  const body =
    rows.length === 0
      ? empty('This agent has not checked itself: selfCheck.every of the configuration says how often it does.')
      : table('Checks', ['From', 'Ended', 'Held', 'Broken', 'Published'], rows)
  return page('Own checks', html`${heading('Own checks', undefined, LEAD)}${body}`)
}

async function checkPage(call: TenantCall): Promise<Answer> {
  const { report } = await doAct(call, showOwnCheck, { period: call.params.period })
  const rows = report.sellers.flatMap(({ checks }) =>
    checks.map(({ outcome, title, because }) => [badge(outcome, TONES[outcome]), title, because ?? '']),
  )
  const lead = html`From ${moment(report.started_at)} to ${moment(report.ended_at)}, with the brief “${report.brief}”.`
  const title = `Own check of ${call.params.period}`
  return page(
    title,
    html`${heading(title, html`<a href="${call.base}/checks">Own checks</a>`)}<p>${lead}</p>
${table('Promises', ['Outcome', 'Promise', 'Because'], rows)}`,
  )
}
