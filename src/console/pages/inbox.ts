import { approve } from '../../operator/approvals/decide-approval.ts'
import { showApproval } from '../../operator/approvals/list-approvals.ts'
import { listOpenDecisions, openApproval } from '../../operator/approvals/open-decisions.ts'
import { decidedBy } from '../decide-once.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { count, words } from '../format.ts'
import { html } from '../html.ts'
import { decisionCard, decisionCards } from '../parts/decision-card.ts'
import { empty, heading, statusBadge } from '../parts/parts.ts'
import { decideTogetherForms } from '../parts/several.ts'
import { type Answer, type ConsoleRoute, page, type TenantCall } from '../route.ts'

/** More than a person decides on in one sitting. */
const SHOWN_CARDS = 50

/** The list of pending decisions; inbox-decisions.ts carries them out. */
export const inboxRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/inbox', listOpenDecisions, inboxPage),
  actRoute('GET', '/inbox/{id}', showApproval, entryPage),
]

async function inboxPage(call: TenantCall): Promise<Answer> {
  const { items: waiting } = await doAct(call, listOpenDecisions, {})
  const now = call.operator.clock()
  const mayDecide = may(call, approve)
  const keys = mayDecide
    ? html` Keys: <kbd>j</kbd> <kbd>k</kbd> next and previous, <kbd>a</kbd> approve, <kbd>c</kbd> on conditions, <kbd>q</kbd> ask, <kbd>r</kbd> reject, <kbd>x</kbd> choose.`
    : undefined
  const lead = waiting.length === 0 ? undefined : html`What expires first comes first.${keys}`
  const shown = waiting.slice(0, SHOWN_CARDS)
  const cards = await decisionCards(call, shown, now)
  const others = waiting.length - cards.length
  const none = empty(
    'Nothing needs a decision',
    'Orders, changes, creatives and accounts that need your approval appear here by themselves.',
  )
  const bulk = mayDecide && decideTogetherForms(call, shown)
  return page(
    'Inbox',
    html`${heading('Inbox', html`<a class="button" href="${call.base}/decisions">Decided</a>`, lead)}${bulk}${cards.length > 0 ? cards : none}${others > 0 && html`<p class="soft">${count(others)} more follow when these are decided.</p>`}`,
  )
}

/** A task that was submitted, decided or not, with everything it is about. */
async function entryPage(call: TenantCall): Promise<Answer> {
  const shown = await doAct(call, showApproval, { approval: call.params.id ?? '' })
  const { conditions, note, document, decided_at: _at, ...entry } = shown
  const isOpen = ['waiting', 'asked'].includes(entry.state)
  const who = isOpen ? undefined : await decidedBy(call, [entry.id])
  const decided = html`<section class="panel"><p>${statusBadge(entry.state)} ${who} ${note}</p>${conditions.length > 0 && html`<ul>${conditions.map((text) => html`<li>${text}</li>`)}</ul>`}</section>`
  const body = html`${heading(isOpen ? 'Open decision' : 'Decision', undefined, `${words(entry.task)}, ${entry.id}`)}
${isOpen ? await decisionCard(call, openApproval(entry), call.operator.clock()) : decided}
<details class="panel"><summary>The request as the buyer sent it</summary><pre>${JSON.stringify(document, undefined, 2)}</pre></details>`
  return page(`Decision ${entry.id}`, body)
}
