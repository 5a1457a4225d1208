import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import type { Served } from '../tools/measure/deployment.ts'

/** What an AI assistant pays for a message, in bytes of JSON and in tokens (o200k). */
export interface WireSize {
  readonly message: string
  readonly bytes: number
  readonly tokens: number
}

const INITIALIZE = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } }

/** Sizes of the handshake and of the list of tools, as they come over HTTP. */
export async function wireSizes({ url, headers }: Served): Promise<WireSize[]> {
  const size = async (method: string, params: object): Promise<WireSize> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const text = await response.text()
    if (!text.includes('"result"')) throw new Error(`${method} answered ${response.status}: ${text.slice(0, 500)}`)
    return { message: method, bytes: Buffer.byteLength(text), tokens: countTokens(text) }
  }
  return [await size('initialize', INITIALIZE), await size('tools/list', {})]
}
