import { afterAll, beforeAll, expect, test } from 'vitest'
import { openEmbedded } from '../../ad-serving/under-test/embedded.ts'
import { SETTINGS } from '../../support/ad-server-orders.ts'

let opened: Awaited<ReturnType<typeof openEmbedded>>
beforeAll(async () => {
  opened = await openEmbedded()
})
afterAll(() => opened.close?.())

test('caps per visitor are kept, those per household or account are refused', () => {
  const capped = (per: 'individuals' | 'devices' | 'cookies' | 'households' | 'accounts' | 'custom') => () =>
    opened.backend.requireKeepable?.({
      ...SETTINGS,
      targeting: { frequency_cap: { max_impressions: 3, per, window: { interval: 1, unit: 'days' } } },
    })
  for (const per of ['individuals', 'devices', 'cookies'] as const) expect(capped(per)).not.toThrow()
  for (const per of ['households', 'accounts', 'custom'] as const)
    expect(capped(per)).toThrow(expect.objectContaining({ code: 'UNSUPPORTED_FEATURE', message: expect.stringContaining(per) }))
})
