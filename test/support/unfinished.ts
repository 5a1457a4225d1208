import { connect } from 'node:net'

/** The answer to a request whose body has begun and does not go on: its head, or "nothing" after `waitMs`. */
export function answerToUnfinished(
  origin: string,
  path: string,
  headers: Readonly<Record<string, string | number>>,
  body: string | Buffer,
  waitMs = 30_000,
): Promise<string> {
  const lines = Object.entries({ Host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    const done = (answer: string) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    const timer = setTimeout(() => done('nothing'), waitMs)
    socket.on('error', () => undefined)
    socket.once('data', (answer: Buffer) => done(answer.toString('latin1').split('\r\n\r\n', 1)[0] ?? ''))
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
    socket.write(body)
  })
}
