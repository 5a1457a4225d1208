import type { AdServerBackend } from './backend.ts'

/**
 * The place of an ad server that cannot be used, because its options are wrong or its type is unknown: nothing can be ordered there, and orders that lie
 * there wait with the reason.
 */
export function unavailableBackend(name: string, reason: string): AdServerBackend {
  const fail = async (): Promise<never> => {
    throw new Error(`the ad server ${name} cannot be used: ${reason}`)
  }
  return {
    name,
    description: `Cannot be used: ${reason}`,
    simulated: false,
    capabilities: {
      booking: 'reviewed',
      pricing: [],
      pacing: [],
      targeting: [],
      changesLines: false,
      pauses: false,
      ends: false,
      creatives: false,
      dissociates: false,
      reports: { by: 'line', period: 'day' },
    },
    check: fail,
    listInventory: fail,
    forecast: fail,
    observe: fail,
    putOrder: fail,
    setOrderState: fail,
    putCreative: fail,
    putLine: fail,
    associate: fail,
    setLineState: fail,
    report: fail,
  }
}
