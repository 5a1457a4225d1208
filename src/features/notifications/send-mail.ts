import type { Transporter } from 'nodemailer'
import { type SmtpSettings, smtpPassword } from '../../config/notification-settings.ts'
import type { AttemptResult } from '../../domain/webhook/retry.ts'

/** A mail of plain text, and files. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** Stays the same over all attempts, so that mail programs show a repeated mail once. */
  readonly messageId: string
  readonly date: Date
  readonly attachments?: readonly Attachment[] | undefined
}

/** A file of a mail. */
export interface Attachment {
  readonly name: string
  /** Media type. */
  readonly type: string
  readonly content: Uint8Array
}

/** Milliseconds: a mail server that is silent for so long is tried again later. */
const TIMES = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000, dnsTimeout: 5_000 }

/**
 * Sends a mail once through the configured server. Never rejects: whatever goes wrong is the result. A permanent refusal (5xx, RFC 5321 §4.2.1)
 * is final, unless it is of the log-in, which the operator can mend.
 */
export async function sendMail(smtp: SmtpSettings | undefined, mail: Mail): Promise<AttemptResult> {
  if (!smtp) return { error: 'no mail server is configured (notifications.smtp)' }
  let transport: Transporter | undefined
  try {
    transport = await transportTo(smtp)
    await transport.sendMail({
      from: smtp.from,
      to: { name: '', address: mail.to },
      subject: mail.subject,
      text: mail.text,
      messageId: mail.messageId,
      date: mail.date,
      // RFC 3834 §5: answering machines leave such mail alone.
      headers: { 'Auto-Submitted': 'auto-generated' },
      attachments: (mail.attachments ?? []).map(({ name, type, content }) => {
        return { filename: name, contentType: type, content: Buffer.from(content) }
      }),
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    return { status: 250 }
  } catch (error) {
    return failureOf(error, smtp)
  } finally {
    transport?.close()
  }
}

async function transportTo(smtp: SmtpSettings): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const { host, port, security, user } = smtp
  return createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(user !== undefined && { auth: { user, pass: smtpPassword(smtp) ?? '' } }),
    ...TIMES,
  })
}

/** The server's words may repeat what was sent to it, so a password is cut out of them. */
function failureOf(error: unknown, { password }: SmtpSettings): AttemptResult {
  const { code, responseCode, message } = factsOf(error)
  const text = password ? message.replaceAll(password, '…') : message
  const isFinal = responseCode !== undefined && responseCode >= 500 && code !== 'EAUTH'
  return { error: `${code ?? 'mail'}: ${text}`.slice(0, 500), ...(isFinal && { hopeless: true }) }
}

function factsOf(error: unknown) {
  const message = error instanceof Error ? error.message : 'unknown failure'
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
  const isNumbered = error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number'
  return { message, code, responseCode: isNumbered ? Number(error.responseCode) : undefined }
}
