import { type listNotes, noteOrder } from '../../operator/orders/note-order.ts'
import type { Of } from '../../operator/shape.ts'
import { may } from '../do-act.ts'
import { moment } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { csrfField, limits, onceField, table } from './parts.ts'

/** What colleagues wrote about the order, and the form for those who may write. */
export function notesPanel(call: TenantCall, id: string, notes: Of<typeof listNotes.answer>['items']): Html {
  const rows = notes.map(({ created_at: at, author, note }) => [moment(at), author, html`<span class="written">${note}</span>`])
  const form = html`<form method="post" action="${call.base}/orders/${encodeURIComponent(id)}/notes">${csrfField(call)}${onceField(call)}<div class="field"><label for="note">New note, for colleagues only</label><textarea id="note" name="note"${limits(noteOrder.fields.note)}></textarea></div><button>Write it down</button></form>`
  return html`<section class="panel"><h2>Notes</h2>${rows.length > 0 ? table('Notes', ['When', 'Who', 'Note'], rows) : html`<p class="soft">No notes. The buyer never sees them.</p>`}${may(call, noteOrder) && form}</section>`
}
