import { expect, it } from 'vitest'
import {
  listChanges,
  newestSeq,
  noteChange,
  OrderedElsewhere,
  oldestChange,
  sealChanges,
  sweepChanges,
} from '../../src/store/account/account-changes.ts'
import type { Store } from '../../src/store/database.ts'

const account = { tenantId: 'acme', accountId: 'acc_changes' }
const now = new Date('2026-03-01T12:00:00Z')

/** What every store promises of the changes of accounts. */
export function accountChangesContract(open: () => Store): void {
  const note = (resourceId: string) =>
    open().transaction((tx) => noteChange(tx, { ...account, resource: 'creative', resourceId, action: 'created' }), {
      origin: 'adcp',
    })
  const seal = () =>
    open()
      .transaction((tx) => sealChanges(tx, 100, now), { isolation: 'read-committed' })
      .catch((error: unknown) => {
        if (error instanceof OrderedElsewhere) return []
        throw error
      })

  it('puts changes of an account in one order without gaps or repetition, whoever does it at the same moment', async () => {
    const ids = Array.from({ length: 30 }, (_, index) => `creative_${index}`)
    for (const id of ids.slice(0, 10)) await note(id)
    await Promise.all([seal(), seal(), ...ids.slice(10).map(note), seal()])
    while ((await seal()).length > 0);
    const listed = await listChanges(open().read, account, { after: 0, limit: 100, resources: undefined })
    expect(listed.map(({ seq }) => seq)).toEqual(ids.map((_, index) => index + 1))
    expect(listed.map(({ resourceId }) => resourceId).toSorted()).toEqual(ids.toSorted())
    expect(listed.every(({ origin }) => origin === 'adcp')).toBe(true)
    expect(await newestSeq(open().read, account.tenantId, account.accountId)).toBe(30)
    const some = await listChanges(open().read, account, { after: 28, limit: 1, resources: ['creative', 'other'] })
    expect(some).toMatchObject([{ seq: 29, recordedAt: now.toISOString(), revision: undefined }])
  })

  it('drops old changes but for the newest of an account', async () => {
    expect(await open().transaction((tx) => sweepChanges(tx, now, 1000))).toBe(0)
    const later = new Date(now.getTime() + 1)
    expect(await open().transaction((tx) => sweepChanges(tx, later, 1000))).toBeGreaterThanOrEqual(29)
    expect(await oldestChange(open().read, account.tenantId, account.accountId)).toMatchObject({ seq: 30 })
  })
}
