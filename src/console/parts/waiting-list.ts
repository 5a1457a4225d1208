import { decisionFacts } from '../../operator/approvals/decision-facts.ts'
import type { OpenDecision } from '../../operator/approvals/open-decisions.ts'
import { money } from '../format.ts'
import { type Html, html, type Part } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { timeLeft, titleOfTask } from './decision-card.ts'
import { titleOfStatement } from './statement-card.ts'

/** Open decisions as short rows: what, for how much, who asks, how much time is left, and the way to decide. */
export async function waitingList(call: TenantCall, waiting: readonly OpenDecision[], now: Date): Promise<Html> {
  const rows: Html[] = []
  for (const each of waiting) rows.push(row(await lineOf(call, each, now)))
  return html`<ul class="lines">${rows}</ul>`
}

interface Line {
  readonly title: Part
  readonly who: Part
  readonly left?: Part
  readonly path: string
}

function row({ title, who, left, path }: Line): Html {
  return html`<li><div><a href="${path}">${title}</a><small>${who}</small></div><div class="end">${left}</div></li>`
}

async function lineOf(call: TenantCall, waiting: OpenDecision, now: Date): Promise<Line> {
  const { base } = call
  switch (waiting.kind) {
    case 'approval': {
      const { approval: entry } = waiting
      const { budget, currency, name } = entry
      const amount = typeof budget === 'number' && typeof currency === 'string' ? ` · ${money(budget, currency)}` : ''
      const { advertiser, buyer_name: buyer } = await decisionFacts(call.operator, call.tenantId, entry)
      const about = entry.kind === 'creative' && typeof name === 'string' ? name : advertiser
      return {
        title: `${titleOfTask(entry.task)}${amount}`,
        who: [about, buyer].filter((text) => text !== undefined).join(' · '),
        left: entry.expires_at === undefined ? undefined : timeLeft(entry.expires_at, now),
        path: entry.kind === 'task' ? `${base}/inbox/${encodeURIComponent(entry.id)}` : `${base}/inbox#d-${anchorOf(entry.id)}`,
      }
    }
    case 'rights_creative': {
      const { id, description } = waiting.creative
      return { title: 'Creative under granted rights', who: description ?? id, path: `${base}/inbox#d-${anchorOf(id)}` }
    }
    case 'rights_change': {
      const { rights_id: id, buyer } = waiting.grant
      return { title: 'Change of granted rights', who: buyer, path: `${base}/inbox#d-${anchorOf(id)}` }
    }
    case 'escalation': {
      const { check_id: id, caller, amount } = waiting.escalation
      return {
        title: `Spending beyond a plan${amount === undefined ? '' : ` · ${amount}`}`,
        who: caller,
        path: `${base}/inbox#d-${anchorOf(id)}`,
      }
    }
    case 'report_statement':
      return { title: titleOfStatement(waiting.statement), who: waiting.statement.buyer, path: `${base}/reports/statements` }
  }
}

/** An id as part of the id of an element. */
export function anchorOf(id: string): string {
  return id.replaceAll(/[^\w-]/g, '_')
}
