import type { SignalDocument, SignalsFile } from '../../src/domain/signal/signal.ts'

export const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }

/** A signal of the import file. */
export function signalDocument(id: string, change: Partial<SignalDocument> = {}): SignalDocument {
  return {
    signal_agent_segment_id: id,
    name: id.replaceAll('_', ' '),
    description: `Readers of ${id}`,
    signal_type: 'owned',
    value_type: 'binary',
    coverage_percentage: 10,
    pricing_options: [{ pricing_option_id: `${id}_cpm`, model: 'cpm', cpm: 2, currency: 'USD' }],
    platforms: [{ platform: 'quick-dsp' }, { platform: 'slow-dsp', activation_minutes: 30 }],
    ...change,
  }
}

export const SIGNALS: SignalsFile = {
  version: 1,
  data_providers: [{ domain: 'cars.example', name: 'Cars Data' }],
  signals: [
    signalDocument('ev_buyers', {
      name: 'Electric vehicle buyers',
      signal_type: 'marketplace',
      data_provider_domain: 'cars.example',
      signal_id: 'ev',
      countries: ['US'],
      account_pricing: [
        { account: ACCOUNT, pricing_options: [{ pricing_option_id: 'agreed', model: 'cpm', cpm: 1.5, currency: 'USD' }] },
      ],
    }),
    signalDocument('hikers', {
      name: 'Hiking readers',
      coverage_percentage: 30,
      pricing_options: [
        { pricing_option_id: 'hikers_share', model: 'percent_of_media', percent: 10, max_cpm: 1, currency: 'USD' },
        { pricing_option_id: 'hikers_flat', model: 'flat_fee', amount: 500, period: 'monthly', currency: 'USD' },
      ],
    }),
    signalDocument('gardeners', { name: 'Gardening readers', platforms: [] }),
    signalDocument('private_mix', { name: 'Private hiking mix', signal_type: 'custom', offered_to: ['somebody-else'] }),
  ],
}
