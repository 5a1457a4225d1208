import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'

/** A mail as the server took it. */
export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** As it was sent, with its headers. */
  readonly source: string
}

export interface MailServer {
  readonly port: number
  readonly mails: ReceivedMail[]
  /** Code and text with which it refuses mails from now on; undefined: it takes them. */
  refuse(refusal: { readonly code: number; readonly text: string } | undefined): void
  close(): Promise<void>
}

/** A real SMTP server on loopback that asks for a user and a password. */
export async function startMailServer(user: string, password: string): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  let refusal: { readonly code: number; readonly text: string } | undefined
  const server = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: true,
    hideSTARTTLS: true,
    disableReverseLookup: true,
    logger: false,
    onAuth(auth, _session, done) {
      if (auth.username === user && auth.password === password) done(null, { user })
      else done(Object.assign(new Error('Invalid login'), { responseCode: 535 }))
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (refusal) return done(Object.assign(new Error(refusal.text), { responseCode: refusal.code }))
        const { mailFrom, rcptTo } = session.envelope
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          source: Buffer.concat(chunks).toString('utf8'),
        })
        done()
      })
    },
  })
  server.on('error', () => undefined)
  const listener = server.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    mails,
    refuse(next) {
      refusal = next
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
