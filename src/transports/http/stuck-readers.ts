import type { Server } from 'node:http'
import type { Http2SecureServer } from 'node:http2'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'

/**
 * Drops connections whose peer takes no byte of what is written to it for one to two times `lookMs`, also where more is written meanwhile, so that replies do not
 * pile up in memory. Ends with the server.
 */
export function dropStuckReaders(server: Server | Http2SecureServer, lookMs: number): void {
  const taken = new Map<Socket, number>()
  // Over TLS what waits is counted by the socket of the secure connection, not by that beneath it.
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    taken.set(socket, -1)
    socket.once('close', () => taken.delete(socket))
  })
  const timer = setInterval(() => {
    for (const [socket, before] of taken) {
      const waiting = socket.writableLength
      const now = waiting === 0 ? -1 : socket.bytesWritten - waiting
      if (waiting > 0 && now === before) socket.destroy()
      else taken.set(socket, now)
    }
  }, lookMs).unref()
  server.once('close', () => clearInterval(timer))
}
