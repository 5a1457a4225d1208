import { flightDaysOf } from '../../domain/calendar/flight-days.ts'
import { localCalendar } from '../../domain/calendar/local-time.ts'
import { approve, reject } from '../../operator/approvals/decide-approval.ts'
import { type DecisionFacts, decisionFacts } from '../../operator/approvals/decision-facts.ts'
import { may } from '../do-act.ts'
import { flightDays, moment, money, span, words } from '../format.ts'
import { type Html, html, type Part } from '../html.ts'
import type { Waiting } from '../list-waiting.ts'
import { zoneOf } from '../local-times.ts'
import type { TenantCall } from '../route.ts'
import { differenceTable, inventoryTable } from './decision-tables.ts'
import { chooseBox } from './inbox-bulk.ts'
import { act, badge, csrfField, facts, limits } from './parts.ts'

/** A card for each open decision, one after another: what it is about is read for those that are shown alone. */
export async function decisionCards(call: TenantCall, waiting: readonly Waiting[], now: Date): Promise<readonly Html[]> {
  const cards: Html[] = []
  for (const each of waiting) cards.push(await decisionCard(call, each, now))
  return cards
}

/** One open decision: who, what, for how much, why a person is asked, and the buttons for those who may decide. */
export async function decisionCard(call: TenantCall, waiting: Waiting, now: Date): Promise<Html> {
  switch (waiting.kind) {
    case 'entry':
      return entryCard(call, waiting.entry, await decisionFacts(call.operator, call.tenantId, waiting.entry), now)
    case 'rights-creative': {
      const { id, creative_url: url, description, rights_id: grant, submitted_at: at } = waiting.creative
      return card(call, {
        id,
        title: 'Creative under granted rights',
        about: [
          ['Creative', url],
          ['Description', description],
          ['Grant', grant],
          ['Submitted', moment(at)],
        ],
        words: WORDS_OF_RIGHTS,
        path: `/inbox/rights/${encodeURIComponent(id)}`,
      })
    }
    case 'rights-change': {
      const { rights_id: id, buyer, right, terms, pending_terms: wanted = {} } = waiting.grant
      return card(call, {
        id,
        title: 'Change of granted rights',
        about: [
          ['Grant', id],
          ['Right', right],
          ['Buyer', buyer],
        ],
        changes: termChanges({ ...terms }, { ...wanted }),
        words: WORDS_OF_RIGHTS,
        path: `/inbox/rights/${encodeURIComponent(id)}`,
      })
    }
    case 'escalation': {
      const { check_id: id, plan_id: plan, caller, tool, amount, reason, created_at: at } = waiting.escalation
      return card(call, {
        id,
        title: 'Spending beyond a plan',
        about: [
          ['Agent', caller],
          ['Task', tool],
          ['Amount', amount],
          ['Plan', plan],
          ['Asked', moment(at)],
        ],
        why: reason,
        words: WORDS_OF_ESCALATION,
        path: `/inbox/governance/${encodeURIComponent(id)}`,
      })
    }
  }
}

const TITLES: Readonly<Record<string, string>> = {
  create_media_buy: 'New order',
  update_media_buy: 'Change of an order',
  sync_creatives: 'New creative',
  sync_accounts: 'New account',
  acquire_rights: 'Rights for a campaign',
}

/** What a person may write for one kind of card: conditions of an approval, and a question in place of a decision. */
interface Words {
  /** What the conditions are, for the person who writes them. */
  readonly conditions?: string
  readonly question?: { readonly title: string; readonly label: string }
}

const FOR_THE_BUYER = 'Conditions, one a line. The buyer gets them.'
const CHANGES = 'What to change. It goes back to the buyer, who can submit it again.'

const WORDS_OF: Readonly<Record<Entry['kind'], Words>> = {
  task: {
    conditions: FOR_THE_BUYER,
    question: { title: 'Ask the buyer', label: 'What the buyer has to do before you decide.' },
  },
  creative: { question: { title: 'Ask for changes', label: CHANGES } },
  account: {
    conditions: FOR_THE_BUYER,
    question: { title: 'Ask the buyer', label: 'What the buyer has to do first. The account stays pending and shows it.' },
  },
}

const WORDS_OF_RIGHTS: Words = { conditions: FOR_THE_BUYER, question: { title: 'Ask for changes', label: CHANGES } }
const WORDS_OF_ESCALATION: Words = {
  conditions: 'Conditions, one a line, as field=value: reason or field: reason. The buyer has to meet them and ask again.',
}

/** What a task of a buyer asks for. */
export function titleOfTask(task: string): string {
  return TITLES[task] ?? words(task)
}

type Entry = Extract<Waiting, { kind: 'entry' }>['entry']
/** What an entry is about: members by its kind. */
type Summary = Readonly<Record<string, unknown>>

function entryCard(call: TenantCall, entry: Entry, known: DecisionFacts, now: Date): Html {
  const { id, kind, task, buyer, account, reason, since, expires_at: expiresAt, state } = entry
  const summary: Summary = entry
  const isTask = kind === 'task'
  const buyerPath = `${call.base}/buyers/${encodeURIComponent(buyer)}`
  return card(call, {
    id,
    title: kind === 'creative' && typeof summary.name === 'string' ? `${titleOfTask(task)}: ${summary.name}` : titleOfTask(task),
    amount: amountOf(summary),
    badges: html`${known.sandbox && badge('sandbox')} ${state === 'asked' && badge('the buyer was asked', 'info')} ${state === 'approving' && badge('being carried out', 'info')} ${expiresAt !== undefined && timeLeft(expiresAt, now)}`,
    about: [
      ['Advertiser', known.advertiser],
      ['Buyer', html`<a href="${buyerPath}">${known.buyer_name}</a>`],
      ['Account', known.account_name ?? account],
      ['Name', kind === 'task' ? textOf(summary.name) : undefined],
      ['Description', textOf(summary.description)],
      ['Creative', textOf(summary.creative_id)],
      ['Format', textOf(summary.format)],
      ['Order', orderLink(call, summary)],
      ['Products', known.inventory.length > 0 ? undefined : listOf(summary.products)],
      ['Flight', flightOf(summary, zoneOf(call))],
      ['Budget before', beforeOf(summary)],
      ['Received', since === undefined ? undefined : moment(since)],
    ],
    tables: html`${differenceTable(known.differences, summary.currency)}${inventoryTable(known.inventory)}`,
    changes: known.differences.length === 0 && Array.isArray(summary.changes) ? summary.changes.map(String) : [],
    why: reason,
    path: `/inbox/${encodeURIComponent(id)}`,
    preview: kind === 'creative' ? previewPath(call, id) : undefined,
    words: WORDS_OF[kind],
    choose: kind === 'creative' && may(call, approve) ? chooseBox(id, textOf(summary.name) ?? id) : undefined,
    more: isTask ? html`<a class="button" href="${call.base}/inbox/${encodeURIComponent(id)}">Details</a>` : undefined,
  })
}

interface Card {
  readonly id: string
  readonly title: string
  readonly amount?: string | undefined
  readonly badges?: Html
  readonly about: readonly (readonly [string, Part])[]
  readonly tables?: Html | undefined
  readonly changes?: readonly string[]
  readonly why?: string | undefined
  /** Path of the decision's acts below the publisher. */
  readonly path: string
  readonly preview?: string | undefined
  /** What a person may write beside a rejection. */
  readonly words?: Words | undefined
  /** The box by which it is decided together with others. */
  readonly choose?: Html | undefined
  readonly more?: Html | undefined
}

function card(
  call: TenantCall,
  { id, title, amount, badges, about, tables, changes = [], why, path, preview, words = {}, choose, more }: Card,
): Html {
  const action = call.base + path
  const key = id.replaceAll(/[^\w-]/g, '_')
  return html`<article class="decision" id="d-${key}" tabindex="-1" aria-labelledby="t-${key}">
<header><h2 id="t-${key}">${title}${amount !== undefined && html` · ${amount}`}</h2><div class="badges">${badges}${choose}</div></header>
${facts(about)}
${tables}
${changes.length > 0 && html`<ul class="changes">${changes.map((change) => html`<li>${change}</li>`)}</ul>`}
${why !== undefined && why !== '' && html`<p class="why"><strong>Why a person decides:</strong> ${why}.</p>`}
${preview !== undefined && html`<iframe class="preview" title="Preview of ${title}" sandbox="allow-scripts" loading="lazy" src="${preview}"></iframe>`}
${may(call, approve) ? buttons(call, action, key, words, more) : more}
</article>`
}

function buttons(call: TenantCall, action: string, key: string, { conditions, question }: Words, more: Html | undefined): Html {
  return html`<div class="acts">
${act(call, `${action}/approve`, 'Approve', { kind: 'primary' })}
${conditions !== undefined && written(call, `${action}/approve`, `conditions-${key}`, { kind: 'conditions', title: 'Approve with conditions', label: conditions })}
${question && written(call, `${action}/ask`, `question-${key}`, { kind: 'question', ...question })}
${written(call, `${action}/reject`, `reason-${key}`, { kind: 'reject', title: 'Reject', label: 'Reason. The buyer gets it.' })}
${more}
</div>`
}

/** A decision that needs words: they open when the person wants to write them. `kind` is the class that the keys of the inbox look for. */
function written(
  call: TenantCall,
  action: string,
  id: string,
  { kind, title, label }: { readonly kind: 'conditions' | 'question' | 'reject'; readonly title: string; readonly label: string },
): Html {
  const name = kind === 'conditions' ? 'conditions' : 'reason'
  return html`<details class="${kind}"><summary>${title}</summary><form method="post" action="${action}">${csrfField(call)}<div class="field"><label for="${id}">${label}</label><textarea id="${id}" name="${name}"${limits(reject.fields.reason)}></textarea></div><button${kind === 'reject' && html` class="danger"`}>${title}</button></form></details>`
}

function amountOf({ budget, currency }: Summary): string | undefined {
  return typeof budget === 'number' && typeof currency === 'string' ? money(budget, currency) : undefined
}

function beforeOf({ budget_before: before, currency }: Summary): string | undefined {
  return typeof before === 'number' && typeof currency === 'string' ? money(before, currency) : undefined
}

function flightOf({ start_time: start, end_time: end }: Summary, zone: string): Part {
  if (typeof start !== 'string' || typeof end !== 'string') return undefined
  return flightDays(flightDaysOf({ startsAt: start, endsAt: end }, localCalendar(zone)))
}

function orderLink({ base }: TenantCall, { media_buy_id: id }: Summary): Part {
  return typeof id === 'string' ? html`<a href="${base}/orders/${encodeURIComponent(id)}">${id}</a>` : undefined
}

function listOf(value: unknown): string | undefined {
  return Array.isArray(value) ? value.join(', ') : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Terms of a grant that a change makes different, one a line. */
function termChanges(now: Readonly<Record<string, unknown>>, wanted: Readonly<Record<string, unknown>>): string[] {
  const text = (value: unknown) => (value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value))
  const names = [...new Set([...Object.keys(now), ...Object.keys(wanted)])]
  return names
    .filter((name) => text(now[name]) !== text(wanted[name]))
    .map((name) => `${words(name)}: ${text(now[name])} → ${text(wanted[name])}`)
}

/** Time until something expires. */
export function timeLeft(expiresAt: string, now: Date): Html {
  const left = Date.parse(expiresAt) - now.getTime()
  if (left <= 0) return badge('expired', 'bad')
  return badge(`${span(left)} left`, left < 12 * 3_600_000 ? 'bad' : 'calm')
}

/** Path of the preview of a creative in the queue, whose id holds buyer, account and creative. */
function previewPath({ base }: TenantCall, id: string): string {
  const [, buyer = '', account = '', creative = ''] = id.split(':')
  return `${base}/creatives/${buyer}/${account || '-'}/${creative}/preview`
}
