import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { importSignals } from '../../../src/domain/signal/import-signals.ts'
import type { SignalDocument } from '../../../src/domain/signal/signal.ts'
import { schemas } from '../../support/shared-inputs.ts'
import { SIGNALS, signalDocument } from '../../support/signal-documents.ts'

const validators = {
  file: schemas.validator('own:signals-import.json'),
  response: schemas.validator('signals/get-signals-response.json'),
}
const read = (value: unknown) => importSignals(value, validators)
const pointers = (signals: readonly object[], more: object = {}) => {
  const result = read({ version: 1, signals, ...more })
  return result.ok ? [] : result.problems.map(({ pointer }) => pointer)
}

describe('import of signals', () => {
  it('takes the demo file and the one of the tests', () => {
    const demo: unknown = JSON.parse(readFileSync(new URL('../../../demo/signals.json', import.meta.url), 'utf8'))
    expect(read(demo)).toMatchObject({ ok: true })
    expect(read(SIGNALS)).toEqual({ ok: true, file: SIGNALS })
  })

  it.each<[string, Partial<SignalDocument> | object, string]>([
    [
      'a provider that the file does not have',
      { signal_type: 'marketplace', data_provider_domain: 'x.example' },
      'data_provider_domain',
    ],
    ['a marketplace signal of nobody', { signal_type: 'marketplace' }, 'data_provider_domain'],
    ['categories of a categorical signal', { value_type: 'categorical' }, 'categories'],
    ['a range of a numeric signal', { value_type: 'numeric' }, 'range'],
    ['a range that is none', { value_type: 'numeric', range: { min: 2, max: 1 } }, 'range/max'],
    ['a platform twice', { platforms: [{ platform: 'a' }, { platform: 'A' }] }, 'platforms'],
    ['a price of no model', { pricing_options: [{ pricing_option_id: 'p', model: 'guess' }] }, 'pricing_options/0'],
    ['an unknown member', { price: 3 }, 'price'],
  ])('names %s', (_what, change, member) => {
    const found = pointers([signalDocument('ok'), { ...signalDocument('bad'), ...change }])
    expect(found.length).toBeGreaterThan(0)
    for (const pointer of found) expect(pointer.startsWith('/signals/1')).toBe(true)
    expect(found.join(' ')).toContain(member === 'price' ? '/signals/1' : `/signals/1/${member}`)
  })

  it('names the second of two that could not be told apart', () => {
    expect(pointers([signalDocument('a'), signalDocument('a')])).toEqual(['/signals/1/signal_agent_segment_id'])
    expect(pointers([signalDocument('a'), signalDocument('b', { signal_id: 'a' })])).toEqual(['/signals/1/signal_id'])
  })

  it('holds agreed prices against the official schema too', () => {
    const account_pricing = [
      { account: { account_id: 'a' }, pricing_options: [{ pricing_option_id: 'p', model: 'cpm', cpm: -1, currency: 'USD' }] },
    ]
    expect(pointers([{ ...signalDocument('a'), account_pricing }]).join(' ')).toContain('/signals/0/pricing_options/0')
  })
})
