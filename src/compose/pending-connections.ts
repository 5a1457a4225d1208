import type { Worker } from 'node:cluster'

/** What node:cluster sends a worker with a connection that it is to take (lib/internal/cluster/round_robin_handle.js of Node). */
const NEW_CONNECTION = 'newconn'

interface ClusterMessage {
  readonly cmd: 'NODE_CLUSTER'
  readonly act?: string
  readonly seq?: number
  readonly ack?: number
}

interface Closable {
  close(): void
}

/**
 * Gives a function to call, in the first process, for each worker that is forked: connections that the worker was handed and had not taken when it
 * died go to another worker, or are closed when there is none. node:cluster itself waits for the answer of such a worker for ever, and the
 * caller would too. A worker that is shutting down answers that it does not accept the connection; the same is said here for one that is dead.
 */
export function createConnectionReturn(): (worker: Worker) => void {
  const listening = new Set<Worker>()
  return (worker) => {
    const pending = new Map<number, unknown>()
    const { process: child } = worker
    const send = child.send.bind(child) as (...args: readonly unknown[]) => boolean
    child.send = (message: unknown, ...rest: readonly unknown[]) => {
      if (isOfCluster(message) && message.act === NEW_CONNECTION && message.seq !== undefined) pending.set(message.seq, rest[0])
      return send(message, ...rest)
    }
    child.on('internalMessage', (message: unknown) => {
      if (isOfCluster(message) && message.ack !== undefined) pending.delete(message.ack)
    })
    const giveBack = () => {
      listening.delete(worker)
      for (const [ack, handle] of pending) {
        if (listening.size > 0) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false })
        else if (isClosable(handle)) handle.close()
      }
      pending.clear()
    }
    worker.once('listening', () => listening.add(worker))
    // What was written to a worker that is dead is lost with it; that it ended is reported elsewhere.
    worker.on('error', () => {})
    // At its end, or at `disconnect` if that comes later, node:cluster has taken the worker out of those that it gives connections to.
    worker.once('disconnect', giveBack)
    worker.once('exit', () => {
      if (!worker.isConnected()) return giveBack()
      if (pending.size === 0) return
      // Node disconnects a channel only once the last handle that was sent on it is acknowledged.
      child.disconnect()
      child.emit('internalMessage', { cmd: 'NODE_HANDLE_ACK' })
    })
  }
}

function isOfCluster(message: unknown): message is ClusterMessage {
  return typeof message === 'object' && message !== null && 'cmd' in message && message.cmd === 'NODE_CLUSTER'
}

function isClosable(handle: unknown): handle is Closable {
  return typeof handle === 'object' && handle !== null && 'close' in handle && typeof handle.close === 'function'
}
