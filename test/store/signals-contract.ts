import { describe, expect, it } from 'vitest'
import type { Deployment } from '../../src/domain/signal/deployment.ts'
import { insertPayment, listPayments, paymentsSince } from '../../src/store/account/account-payments.ts'
import { insertAccount } from '../../src/store/account/accounts.ts'
import { insertUsage, usageCosts } from '../../src/store/account/usage.ts'
import type { Store } from '../../src/store/database.ts'
import { findDeployments, saveDeployment } from '../../src/store/signal/signal-deployments.ts'
import { loadSignals, saveSignals, signalsRevision } from '../../src/store/signal/signals.ts'
import { signalDocument } from '../support/signal-documents.ts'

const owner = { tenantId: 'acme', principalId: 'buyer', accountId: 'acc_signals' }
const now = new Date('2026-03-01T12:00:00Z')
const at = now.toISOString()

/** What every storage engine must do for signals, usage and payments. Needs tenant `acme` with principal `buyer`. */
export function signalsContract(open: () => Store): void {
  describe('signals', () => {
    it('keeps what an import no longer lists apart, and counts imports', async () => {
      const save = (ids: string[], merge = false) =>
        open().transaction((tx) =>
          saveSignals(tx, 'acme', { version: 1, signals: ids.map((id) => signalDocument(id)) }, { merge }, now),
        )
      const ids = async () => {
        const { signals, removed } = await loadSignals(open().read, 'acme')
        return [signals, removed].map((list) => list.map((signal) => signal.signal_agent_segment_id))
      }
      expect(await signalsRevision(open().read, 'acme')).toBe(0)
      await save(['b', 'a'])
      await save(['a'])
      expect(await ids()).toEqual([['a'], ['b']])
      await save(['b'], true)
      expect(await ids()).toEqual([['a', 'b'], []])
      expect(await signalsRevision(open().read, 'acme')).toBe(3)
      expect(await signalsRevision(open().read, 'other')).toBe(0)
    })

    it('has one row for a place, which keeps its id', async () => {
      const deployment: Deployment = {
        deploymentId: 'dep_1',
        segmentId: 'a',
        destination: { type: 'platform', platform: 'DSP' },
        pricingOptionId: 'cpm',
        status: 'pending',
        activationKey: undefined,
        taskId: 'task_1',
        requestedAt: at,
        readyAt: at,
        deployedAt: undefined,
      }
      const live: Deployment = {
        ...deployment,
        destination: { type: 'platform', platform: 'dsp' },
        status: 'live',
        activationKey: { type: 'segment_id', segment_id: 's' },
        deployedAt: at,
      }
      await open().transaction((tx) => saveDeployment(tx, owner, deployment, now))
      await open().transaction((tx) => saveDeployment(tx, owner, { ...live, deploymentId: 'dep_2' }, now))
      expect(await findDeployments(open().read, owner, ['a', 'b'])).toEqual([live])
      expect(await findDeployments(open().read, { ...owner, accountId: undefined }, ['a'])).toHaveLength(1)
      for (const beyond of [{ accountId: 'other' }, { principalId: 'other' }, { tenantId: 'other' }]) {
        expect(await findDeployments(open().read, { ...owner, ...beyond }, ['a'])).toEqual([])
      }
    })
  })

  describe('money of an account', () => {
    it('takes a use once, and amounts beyond 32 bits', async () => {
      const record = { fingerprint: 'f', document: {}, costMicros: 9_000_000_000_000, currency: 'USD', billedOn: '2026-03-01' }
      const report = () => open().transaction((tx) => insertUsage(tx, owner, record, now))
      expect([await report(), await report()]).toEqual([true, false])
      expect(await usageCosts(open().read, owner)).toEqual([{ day: '2026-03-01', currency: 'USD', micros: 9_000_000_000_000 }])
    })

    it('lists payments by day', async () => {
      const key = { brandDomain: 'signals.example', brandId: undefined, operator: 'signals.example', sandbox: false }
      const pay = (day: string, micros: number) =>
        open().transaction((tx) => insertPayment(tx, owner, { day, currency: 'USD', micros }, now))
      await open().transaction((tx) =>
        insertAccount(tx, owner, { key, status: 'active', document: { name: 'S' }, accountId: owner.accountId }, now),
      )
      await pay('2026-02-02', 9_000_000_000_000)
      await pay('2026-02-01', 1)
      const paymentId = expect.stringMatching(/^pay_/)
      expect(await listPayments(open().read, owner)).toEqual([
        { day: '2026-02-01', currency: 'USD', micros: 1, paymentId },
        { day: '2026-02-02', currency: 'USD', micros: 9_000_000_000_000, paymentId },
      ])
      const { tenantId, accountId } = owner
      const late = [{ accountId, day: '2026-02-02', currency: 'USD', micros: 9_000_000_000_000 }]
      expect(await paymentsSince(open().read, tenantId, { day: '2026-02-02', accountId })).toEqual(late)
      expect(await paymentsSince(open().read, tenantId, { day: '2026-02-02' })).toEqual(late)
      expect(await paymentsSince(open().read, tenantId, { day: '2026-02-01', accountId: 'other' })).toEqual([])
    })
  })
}
