import { EXPIRES_SOON_MS } from '../../domain/approval/policy.ts'
import { flightDaysOf } from '../../domain/calendar/flight-days.ts'
import { localCalendar } from '../../domain/calendar/local-time.ts'
import { approve } from '../../operator/approvals/decide-approval.ts'
import { type DecisionFacts, decisionFacts } from '../../operator/approvals/decision-facts.ts'
import type { OpenDecision } from '../../operator/approvals/open-decisions.ts'
import { may } from '../do-act.ts'
import { flightDays, moment, money, span, words } from '../format.ts'
import { type Html, html, type Part } from '../html.ts'
import { zoneOf } from '../local-times.ts'
import type { TenantCall } from '../route.ts'
import { type DecisionWords, decision } from './decision.ts'
import { differenceTable, inventoryTable } from './decision-tables.ts'
import { badge } from './parts.ts'
import { chooseBox } from './several.ts'
import { statementCard } from './statement-card.ts'

/** A card for each open decision, one after another: what it is about is read for those that are shown alone. */
export async function decisionCards(call: TenantCall, waiting: readonly OpenDecision[], now: Date): Promise<readonly Html[]> {
  const cards: Html[] = []
  for (const each of waiting) cards.push(await decisionCard(call, each, now))
  return cards
}

/** One open decision: who, what, for how much, why a person is asked, and the buttons for those who may decide. */
export async function decisionCard(call: TenantCall, waiting: OpenDecision, now: Date): Promise<Html> {
  switch (waiting.kind) {
    case 'approval':
      return entryCard(call, waiting.approval, await decisionFacts(call.operator, call.tenantId, waiting.approval), now)
    case 'rights_creative': {
      const { id, creative_url: url, description, rights_id: grant, submitted_at: at } = waiting.creative
      return decision(call, {
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
    case 'rights_change': {
      const { rights_id: id, buyer, right, terms, pending_terms: wanted = {} } = waiting.grant
      return decision(call, {
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
      return decision(call, {
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
    case 'report_statement':
      return statementCard(call, waiting.statement)
  }
}

const TITLES: Readonly<Record<string, string>> = {
  create_media_buy: 'New order',
  update_media_buy: 'Change of an order',
  sync_creatives: 'New creative',
  sync_accounts: 'New account',
  acquire_rights: 'Rights for a campaign',
}

const FOR_THE_BUYER = 'Conditions, one a line. The buyer gets them.'
const CHANGES = 'What to change. It goes back to the buyer, who can submit it again.'

const WORDS_OF: Readonly<Record<Entry['kind'], DecisionWords>> = {
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

const WORDS_OF_RIGHTS: DecisionWords = {
  conditions: FOR_THE_BUYER,
  question: {
    title: 'Reject with suggestions',
    label: 'What would be approved. It is rejected with this; the buyer can submit it again.',
  },
}
const WORDS_OF_ESCALATION: DecisionWords = {
  conditions: 'Conditions, one a line, as field=value: reason or field: reason. The buyer has to meet them and ask again.',
}

/** What a task of a buyer asks for. */
export function titleOfTask(task: string): string {
  return TITLES[task] ?? words(task)
}

type Entry = Extract<OpenDecision, { kind: 'approval' }>['approval']
/** What an entry is about: members by its kind. */
type Summary = Readonly<Record<string, unknown>>

function entryCard(call: TenantCall, entry: Entry, known: DecisionFacts, now: Date): Html {
  const { id, kind, task, buyer, account, reason, since, expires_at: expiresAt, state } = entry
  const summary: Summary = entry
  const isTask = kind === 'task'
  const buyerPath = `${call.base}/buyers/${encodeURIComponent(buyer)}`
  return decision(call, {
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
    choose: may(call, approve) ? chooseBox(id, textOf(summary.name) ?? known.advertiser ?? id) : undefined,
    more: isTask ? html`<a class="button" href="${call.base}/inbox/${encodeURIComponent(id)}">Details</a>` : undefined,
  })
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
  return badge(`${span(left)} left`, left < EXPIRES_SOON_MS ? 'bad' : 'calm')
}

/** Path of the preview of a creative in the queue, whose id holds buyer, account and creative. */
function previewPath({ base }: TenantCall, id: string): string {
  const [, buyer = '', account = '', creative = ''] = id.split(':')
  return `${base}/creatives/${buyer}/${account || '-'}/${creative}/preview`
}
