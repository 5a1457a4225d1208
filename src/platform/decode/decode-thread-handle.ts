import type { Worker } from 'node:worker_threads'
import { startThread } from '../concurrency/start-thread.ts'
import { DecodeFault } from './decode-fault.ts'
import type { DecodedItem, DecoderInputs, DecoderName } from './decoders.ts'
import { whenUsedUp } from './processor-deadline.ts'
import type { FromThread, ToThread } from './thread-messages.ts'

/** Memory of a thread, in MiB: the largest workbook that is read takes 150. */
const MEMORY_MB = 256
const YOUNG_MB = 32
/** Deep recursion ends in an error of its own long before. */
const STACK_MB = 4
/** How long a thread without work stays: uploads come in series. */
const IDLE_MS = 30_000

/** A decoding thread as the server sees it: one document at a time. */
export class DecodeThread {
  readonly #worker = startWorker()
  #idle: NodeJS.Timeout | undefined
  #hasEnded = false

  constructor() {
    this.#worker.unref()
    this.#worker.once('exit', () => {
      this.#hasEnded = true
      clearTimeout(this.#idle)
    })
    // Handled where a document is decoded; between two, an error ends the thread alone.
    this.#worker.on('error', () => {})
  }

  /** Whether the thread takes no more documents. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** The items of a document. Throws DecodeFault; a thread that exceeded its memory or `deadlineMs` of processor time has ended then. */
  async decode<Name extends DecoderName>(
    decoder: Name,
    input: DecoderInputs[Name],
    deadlineMs: number,
  ): Promise<DecodedItem<Name>[]> {
    clearTimeout(this.#idle)
    // While somebody waits for the document, the process stays.
    this.#worker.ref()
    try {
      return await this.#run(decoder, input, deadlineMs)
    } finally {
      this.#worker.unref()
      if (!this.#hasEnded) this.#idle = setTimeout(() => void this.end(), IDLE_MS).unref()
    }
  }

  #run<Name extends DecoderName>(decoder: Name, input: DecoderInputs[Name], deadlineMs: number): Promise<DecodedItem<Name>[]> {
    const worker = this.#worker
    const send = (message: ToThread) => worker.postMessage(message)
    return new Promise((resolve, reject) => {
      const items: DecodedItem<Name>[] = []
      const settle = (finish: () => void) => {
        clearDeadline()
        worker.off('message', onMessage).off('error', onError).off('exit', onExit)
        finish()
      }
      const fail = (fault: Error) => settle(() => reject(fault))
      const onMessage = (message: FromThread & { readonly items?: readonly DecodedItem<Name>[] }) => {
        if (message.kind === 'fault') return fail(new DecodeFault(message.limit, message.message, message.line))
        if (message.kind === 'done') return settle(() => resolve(items))
        for (const item of message.items ?? []) items.push(item)
        setImmediate(send, { kind: 'next' })
      }
      const onError = (error: Error & { readonly code?: string }) => {
        void this.end()
        if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return fail(error)
        fail(new DecodeFault('memory', `takes more than ${MEMORY_MB} MiB of memory to read; split it, or send a smaller one`))
      }
      const onExit = () => fail(new Error('the decoding thread ended'))
      const clearDeadline = whenUsedUp(deadlineMs, (limit) => {
        void this.end()
        fail(new DecodeFault('time', `takes longer than ${limit} to read; split it, or send a smaller one`))
      })
      worker.on('message', onMessage).on('error', onError).on('exit', onExit)
      // A copy of these bytes alone: a Buffer may be a view of a much larger one.
      const bytes = new Uint8Array(input.bytes)
      const message: ToThread = { kind: 'decode', decoder, input: { ...input, bytes } }
      worker.postMessage(message, [bytes.buffer])
    })
  }

  /** Ends the thread. What it held is given back when this resolves. */
  async end(): Promise<void> {
    this.#hasEnded = true
    await this.#worker.terminate()
  }
}

function startWorker(): Worker {
  return startThread(import.meta.url, 'decode-thread', {
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB, maxYoungGenerationSizeMb: YOUNG_MB, stackSizeMb: STACK_MB },
  })
}
