import { approve, ask, reject } from '../../operator/approvals/decide-approval.ts'
import { may } from '../do-act.ts'
import { type Html, html, type Part } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { act, csrfField, facts, limits } from './parts.ts'

/** What a person may write for one kind of card: conditions of an approval, and a question in place of a decision. */
export interface DecisionWords {
  /** What the conditions are, for the person who writes them. */
  readonly conditions?: string
  readonly question?: { readonly title: string; readonly label: string }
}

/** What stands on the card of an open decision. */
export interface Decision {
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
  readonly words?: DecisionWords | undefined
  /** The box by which it is decided together with others. */
  readonly choose?: Html | undefined
  readonly more?: Html | undefined
}

/** The card of an open decision, and the buttons for those who may decide. */
export function decision(
  call: TenantCall,
  { id, title, amount, badges, about, tables, changes = [], why, path, preview, words = {}, choose, more }: Decision,
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
${[approve, ask, reject].some((each) => may(call, each)) ? buttons(call, action, key, words, more) : more}
</article>`
}

function buttons(
  call: TenantCall,
  action: string,
  key: string,
  { conditions, question }: DecisionWords,
  more: Html | undefined,
): Html {
  return html`<div class="acts">
${may(call, approve) && act(call, `${action}/approve`, 'Approve', { kind: 'primary' })}
${conditions !== undefined && may(call, approve) && written(call, `${action}/approve`, `conditions-${key}`, { kind: 'conditions', title: 'Approve with conditions', label: conditions })}
${question && may(call, ask) && written(call, `${action}/ask`, `question-${key}`, { kind: 'question', ...question })}
${may(call, reject) && written(call, `${action}/reject`, `reason-${key}`, { kind: 'reject', title: 'Reject', label: 'Reason. The buyer gets it.' })}
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
