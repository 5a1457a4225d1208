import { parentPort } from 'node:worker_threads'
import { DecodeFault } from './decode-fault.ts'
import { inGroups } from './decoded-size.ts'
import { type DecoderName, loadDecoder } from './decoders.ts'
import type { FromThread, ToThread } from './thread-messages.ts'

// The program of a decoding thread: one document at a time. Items are sent in groups of a bounded size, each when the one before was taken over, so that the server's loop turns in between.

/** Libraries quote what they read. */
const LONGEST_MESSAGE = 300

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'decode') void decode(message.decoder, message.input)
})

async function decode(name: DecoderName, input: unknown): Promise<void> {
  try {
    const decoder = await loadDecoder(name)
    for await (const items of inGroups(Reflect.apply(decoder, undefined, [input]))) {
      const takenOver = new Promise((resolve) => parentPort?.once('message', resolve))
      send({ kind: 'items', items })
      await takenOver
    }
    send({ kind: 'done' })
  } catch (error) {
    send({ kind: 'fault', ...faultOf(error) })
  }
}

/** What a library throws about a document says that the document is not of the format. */
function faultOf(error: unknown): Pick<DecodeFault, 'limit' | 'message' | 'line'> {
  if (error instanceof DecodeFault) return { limit: error.limit, message: error.message, line: error.line }
  const message = error instanceof Error ? error.message.slice(0, LONGEST_MESSAGE) : 'cannot be read'
  return { limit: 'content', message, line: undefined }
}

function send(message: FromThread): void {
  parentPort?.postMessage(message)
}
