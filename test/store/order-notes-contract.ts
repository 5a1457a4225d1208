import { beforeAll, expect, it } from 'vitest'
import type { Store } from '../../src/store/database.ts'
import { addOrderNote, listOrderNotes, type OrderNoteRow } from '../../src/store/media-buy/order-notes.ts'

const note = (id: string, more: Partial<OrderNoteRow> = {}): OrderNoteRow => ({
  tenant_id: 'acme',
  media_buy_id: 'mb_noted',
  note_id: id,
  author: 'os:ann',
  note: `Grüße 👋 ${id}`,
  created_at: '2026-03-01T12:00:00.000Z',
  ...more,
})

/** What every storage engine must do with notes on orders. Run by the SQLite and the PostgreSQL tests alike. */
export function orderNotesContract(open: () => Store): void {
  const list = (order = 'mb_noted', tenant = 'acme', limit = 10) => listOrderNotes(open().read, tenant, order, limit)

  beforeAll(() =>
    open().transaction(async (tx) => {
      await addOrderNote(tx, note('a'))
      await addOrderNote(tx, note('c', { created_at: '2026-03-01T13:00:00.000Z' }))
      await addOrderNote(tx, note('b'))
      await addOrderNote(tx, note('a', { media_buy_id: 'mb_other' }))
      await addOrderNote(tx, note('a', { tenant_id: 'other' }))
    }),
  )

  it('lists notes on one order of one publisher, newest first, and those of one moment by their id', async () => {
    expect(await list()).toEqual([note('c', { created_at: '2026-03-01T13:00:00.000Z' }), note('b'), note('a')])
    expect(await list('mb_other')).toEqual([note('a', { media_buy_id: 'mb_other' })])
    expect(await list('mb_noted', 'other')).toEqual([note('a', { tenant_id: 'other' })])
    expect(await list('mb_none')).toEqual([])
  })

  it('lists no more than was asked for', async () => {
    expect((await list('mb_noted', 'acme', 2)).map(({ note_id: id }) => id)).toEqual(['c', 'b'])
  })

  it('has one note of an id on an order, and keeps it when another is refused', async () => {
    await expect(open().transaction((tx) => addOrderNote(tx, note('a', { note: 'again' })))).rejects.toThrow()
    expect((await list()).at(-1)).toEqual(note('a'))
  })
}
