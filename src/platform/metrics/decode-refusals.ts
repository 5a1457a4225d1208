import { Counter, type Registry } from 'prom-client'
import { decodeRefusals } from '../decode/decode-refusals.ts'

/** Counts the foreign documents that were not decoded; read from the decoders when the numbers are asked for. */
export function countDecodeRefusals(registry: Registry): void {
  new Counter({
    name: 'adcp_decode_refusals_total',
    help: 'Foreign documents that were not decoded, by decoder and by what was exceeded (content: not of the format)',
    labelNames: ['decoder', 'limit'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [key, count] of decodeRefusals()) {
        const [decoder = '', limit = ''] = key.split(' ')
        this.inc({ decoder, limit }, count)
      }
    },
  })
}
