import { randomUUID } from 'node:crypto'
import { AdcpError } from '../../protocol/errors.ts'
import { addOrderNote, listOrderNotes, type OrderNoteRow } from '../../store/media-buy/order-notes.ts'
import { defineAct } from '../act.ts'
import { atMost, required, text } from '../fields.ts'
import { READERS, SELLERS } from '../roles.ts'
import { about, list, moment, named, object, pageOf, string } from '../shape.ts'
import { knownOrder } from './known-order.ts'
import { ORDER } from './show-order.ts'

// Several acts in one file: they list, change and remove the same thing.

const orderNote = named(
  'OrderNote',
  object({ note_id: string, author: about('the person, as in the audit log', string), note: string, created_at: moment }),
)

/** Notes that one order may have: more than colleagues write about one. */
const MAX_NOTES = 200

/** Writes a note on an order for colleagues; its buyer never sees it. Throws REFERENCE_NOT_FOUND, INVALID_STATE for an order that has 200 notes. */
export const noteOrder = defineAct({
  name: 'orders.note',
  route: 'POST /orders/{order}/notes',
  id: 'noteOrder',
  roles: SELLERS,
  summary: 'Writes a note on an order for colleagues; the buyer never sees it.',
  fields: { order: ORDER, note: required(atMost(2000, text('the note'))) },
  answer: orderNote,
  command: { args: ['order', 'note'], text: ({ note_id: id }) => [`noted as ${id}`] },
  async run(context, { order, note }) {
    const { store, tenantId, actor, clock } = context
    await knownOrder(context, order)
    const row = {
      tenant_id: tenantId,
      media_buy_id: order,
      note_id: `note_${randomUUID()}`,
      author: actor.credential,
      note,
      created_at: clock().toISOString(),
    }
    await store.transaction(async (tx) => {
      if ((await listOrderNotes(tx, tenantId, order, MAX_NOTES)).length === MAX_NOTES)
        throw new AdcpError('INVALID_STATE', `the order has ${MAX_NOTES} notes, which is the most`, { field: 'note' })
      await addOrderNote(tx, row)
    })
    return present(row)
  },
})

/** Notes on an order, newest first. Throws REFERENCE_NOT_FOUND. */
export const listNotes = defineAct({
  name: 'orders.notes',
  route: 'GET /orders/{order}/notes',
  id: 'listOrderNotes',
  roles: READERS,
  summary: 'Notes of colleagues on an order, newest first.',
  fields: { order: ORDER },
  answer: pageOf(orderNote),
  command: {
    columns: [
      ['AT', (note) => note.created_at],
      ['WHO', (note) => note.author],
      ['NOTE', (note) => note.note],
    ],
  },
  async run(context, { order }) {
    await knownOrder(context, order)
    return list((await listOrderNotes(context.store.read, context.tenantId, order, MAX_NOTES)).map(present))
  },
})

function present({ note_id, author, note, created_at }: OrderNoteRow) {
  return { note_id, author, note, created_at }
}
