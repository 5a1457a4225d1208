import { aboutOf } from '../../operator/approvals/list-approvals.ts'
import { FINAL_STATES, listDecisions } from '../../operator/approvals/list-decisions.ts'
import { listBuyers } from '../../operator/buyers/list-buyers.ts'
import { actRoute, doAct } from '../do-act.ts'
import { moment, words } from '../format.ts'
import { html, type Part } from '../html.ts'
import { titleOfTask } from '../parts/decision-card.ts'
import { choice, empty, heading, pager, statusBadge, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, type TenantCall } from '../route.ts'

/** What was decided, rejected orders too. */
export const decisionRoutes: readonly ConsoleRoute[] = [actRoute('GET', '/decisions', listDecisions, decisionsPage)]

async function decisionsPage(call: TenantCall): Promise<Answer> {
  const { query, base } = call
  const state = query.get('state') || undefined
  const buyer = query.get('buyer') || undefined
  const cursor = query.get('cursor') || undefined
  const { items, next_cursor: next } = await doAct(call, listDecisions, { state: state && [state], buyer, cursor })
  const { items: buyers } = await doAct(call, listBuyers, {})
  const states = [['', 'Every decision'], ...FINAL_STATES.map((each) => [each, words(each)])] as [string, string][]
  const choices = [['', 'Every buyer'], ...buyers.map(({ buyer: id, name }) => [id, name])] as [string, string][]
  const form = html`<form class="filters" method="get" action="${base}/decisions">${choice('state', 'Decision', states, state ?? '')}${choice('buyer', 'Buyer', choices, buyer ?? '')}<button>Show</button></form>`
  const rows = items.map((each): Part[] => [
    moment(each.decided_at),
    html`<a href="${base}/inbox/${encodeURIComponent(each.id)}">${titleOfTask(each.task)}</a>`,
    statusBadge(each.state),
    html`<a href="${base}/buyers/${encodeURIComponent(each.buyer)}">${each.buyer}</a>`,
    aboutOf(each),
    each.note,
  ])
  const list =
    rows.length === 0
      ? empty('Nothing of the kind was decided')
      : table('Decided', ['When', 'What', 'Decision', 'Buyer', 'About', 'The buyer was told'], rows)
  const lead = 'Requests of buyers that needed a decision and have one, those that were rejected, expired or withdrawn too.'
  return page(
    'Decided',
    html`${heading('Decided', html`<a class="button" href="${base}/inbox">Inbox</a>`, lead)}${form}${list}${pager(`${base}/decisions`, query, next)}`,
  )
}
