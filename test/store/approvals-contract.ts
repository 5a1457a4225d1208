import { describe, expect, it } from 'vitest'
import {
  type Approval,
  changeApproval,
  dueApprovals,
  endApproving,
  getApproval,
  insertApproval,
  listApprovals,
  NEVER,
} from '../../src/store/approval/approvals.ts'
import { listDecided } from '../../src/store/approval/decided.ts'
import { waitingChanges } from '../../src/store/approval/waiting-changes.ts'
import type { Store } from '../../src/store/database.ts'
import { advanceTask, changesOfTasks, getTask, insertTask } from '../../src/store/task/tasks.ts'

const owner = { tenantId: 'acme', principalId: 'buyer' }
const now = new Date('2026-03-01T12:00:00Z')
const at = (hours: number) => new Date(now.getTime() + hours * 3_600_000)

/** What every storage engine must do for approvals and the history of tasks. Needs tenant `acme` with principal `buyer`. */
export function approvalsContract(open: () => Store): void {
  const insert = async (taskId: string, hours = 3): Promise<Approval> => {
    const approval = {
      taskId,
      accountId: 'acc',
      taskType: 'create_media_buy',
      reason: 'by hand',
      summary: { budget: 5 },
      document: { any: 'thing' },
      dueAt: at(hours).toISOString(),
      expiresAt: at(hours + 1).toISOString(),
    }
    await open().transaction((tx) => insertApproval(tx, owner, approval, now))
    return getApproval(open().read, 'acme', taskId)
  }
  const change = (approval: Approval, to: Parameters<typeof changeApproval>[2]) =>
    open().transaction((tx) => changeApproval(tx, approval, to, now))

  describe('approvals', () => {
    it('keep what they are about, and are nobody else’s', async () => {
      const approval = await insert('kept')
      expect(approval).toMatchObject({ state: 'waiting', summary: { budget: 5 }, conditions: [], reminded: false, revision: 1 })
      expect(JSON.parse(approval.document)).toEqual({ any: 'thing' })
      await expect(getApproval(open().read, 'other', 'kept')).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND' })
      expect((await listApprovals(open().read, 'acme', ['waiting'], 10)).map(({ taskId }) => taskId)).toContain('kept')
    })

    it('change once for each revision that was read', async () => {
      const approval = await insert('raced')
      const results = await Promise.all([
        change(approval, { state: 'approving', conditions: ['a'] }),
        change(approval, { state: 'rejected', note: 'no' }),
        change(approval, { state: 'withdrawn' }),
      ])
      expect(results.filter((result) => result !== undefined)).toHaveLength(1)
      expect((await getApproval(open().read, 'acme', 'raced')).revision).toBe(2)
    })

    it('are listed newest first once they are decided, by pages', async () => {
      const store = open()
      for (const [index, id] of ['said-no', 'took-back', 'said-no-too'].entries()) {
        const approval = await insert(id)
        const to = { state: id === 'took-back' ? 'withdrawn' : 'rejected', note: `because of ${id}` } as const
        await store.transaction((tx) => changeApproval(tx, approval, to, at(1000 + index)))
      }
      const asked = { states: ['rejected'], principalId: 'buyer', after: undefined, limit: 1 } as const
      const [first] = await listDecided(store.read, 'acme', asked)
      expect(first).toMatchObject({ taskId: 'said-no-too', note: 'because of said-no-too' })
      const after = { decidedAt: first?.decidedAt ?? '', taskId: first?.taskId ?? '' }
      expect((await listDecided(store.read, 'acme', { ...asked, after })).map(({ taskId }) => taskId)).toEqual(['said-no'])
      expect(await listDecided(store.read, 'acme', { ...asked, principalId: 'other' })).toEqual([])
    })

    it('are found by the order that they change, while they are open', async () => {
      const store = open()
      const add = async (taskId: string, id: string, taskType = 'update_media_buy') => {
        const term = { dueAt: at(3).toISOString(), expiresAt: at(4).toISOString() }
        const approval = {
          taskId,
          accountId: 'acc',
          taskType,
          reason: 'by hand',
          summary: { media_buy_id: id },
          document: {},
          ...term,
        }
        await store.transaction((tx) => insertApproval(tx, owner, approval, now))
        return getApproval(store.read, 'acme', taskId)
      }
      const found = async (...ids: string[]) => (await waitingChanges(store.read, owner, ids)).map(({ taskId }) => taskId)
      const first = await add('of_a', 'mb_a')
      await add('of_other', 'mbxa')
      await add('of_b', 'mb_b', 'control_media_buy')
      await add('no_change', 'mb_a', 'create_media_buy')
      expect(await found('mb_a')).toEqual(['of_a'])
      expect(await found('mb_a', 'mb_b', 'mb_c')).toEqual(['of_a', 'of_b'])
      const moved = await change(first, { summary: { media_buy_id: 'mb_c' } })
      expect([await found('mb_a'), await found('mb_c')]).toEqual([[], ['of_a']])
      if (moved) await change(moved, { state: 'rejected' })
      expect([await found('mb_c'), await found()]).toEqual([[], []])
    })

    it('end being carried out once', async () => {
      const begun = await change(await insert('carried'), { state: 'approving' })
      if (!begun) throw new Error('nobody else changed it')
      const end = (state: 'approved' | 'failed') => open().transaction((tx) => endApproving(tx, begun, state, undefined, now))
      expect((await Promise.all([end('approved'), end('failed'), end('approved')])).filter(Boolean)).toHaveLength(1)
      expect(await getApproval(open().read, 'acme', 'carried')).toMatchObject({ dueAt: NEVER, decidedAt: now.toISOString() })
    })

    it('are due by the clock, oldest first, until they are over', async () => {
      const [late, early] = [await insert('late', -1), await insert('early', -2)]
      const due = async () =>
        (await dueApprovals(open().read, now, 100)).map(({ taskId }) => taskId).filter((id) => ['late', 'early'].includes(id))
      expect(await due()).toEqual(['early', 'late'])
      await change(early, { state: 'expired' })
      await change(late, { dueAt: at(5).toISOString() })
      expect(await due()).toEqual([])
    })

    it('have tasks with a history, one entry for each status', async () => {
      const task = { accountId: 'acc', taskType: 'create_media_buy', protocol: 'media-buy', request: {}, hasWebhook: false }
      await open().transaction(async (tx) => {
        await insertTask(tx, owner, { ...task, taskId: 'told', status: 'submitted', message: 'wait' }, now)
        const waiting = await getTask(tx, owner, 'told')
        const asked = await advanceTask(tx, owner, waiting, { status: 'input-required', message: 'well?' }, at(1))
        await advanceTask(tx, owner, asked, { status: 'completed', result: { media_buy_id: 'mb' } }, at(2))
        // The first terminal state stays, and so does its history.
        await advanceTask(tx, owner, await getTask(tx, owner, 'told'), { status: 'failed' }, at(3))
      })
      expect((await changesOfTasks(open().read, owner, ['told', 'none'])).get('told')).toEqual([
        { at: at(0).toISOString(), status: 'submitted', message: 'wait' },
        { at: at(1).toISOString(), status: 'input-required', message: 'well?' },
        { at: at(2).toISOString(), status: 'completed', result: { media_buy_id: 'mb' } },
      ])
      expect(await changesOfTasks(open().read, { ...owner, principalId: 'thief' }, ['told'])).toEqual(new Map())
    })
  })
}
