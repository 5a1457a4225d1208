import type { Server } from 'node:http'
import type { Http2SecureServer } from 'node:http2'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'

/**
 * Drops connections whose peer takes no byte of what is written to it for one to two times `lookMs`, so that replies do not pile up in memory. Ends with
 * the server.
 */
export function dropStuckReaders(server: Server | Http2SecureServer, lookMs: number): void {
  const waiting = new Map<Socket, number>()
  // Over TLS what waits is counted by the socket of the secure connection, not by that beneath it.
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
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
