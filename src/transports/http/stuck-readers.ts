import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** A reply that moves by no byte for one to two of these belongs to a caller that is gone or does not read. */
const LOOK_MS = 30_000

/** Drops connections whose peer takes nothing of what is written to it, so that replies do not pile up in memory. Ends with the server. */
export function dropStuckReaders(server: Server, lookMs = LOOK_MS): void {
  const waiting = new Map<Socket, number>()
  server.on('connection', (socket: Socket) => {
    waiting.set(socket, 0)
    socket.once('close', () => waiting.delete(socket))
  })
  const timer = setInterval(() => {
    for (const [socket, before] of waiting) {
      const now = socket.writableLength
      if (now > 0 && now === before) socket.destroy()
      else waiting.set(socket, now)
    }
  }, lookMs).unref()
  server.once('close', () => clearInterval(timer))
}
