import { readFileSync } from 'node:fs'
import type { Issue } from '../protocol/errors.ts'

/** The mail server that notifications go through. */
export interface SmtpSettings {
  readonly host: string
  readonly port: number
  /** `tls`: from the first byte (RFC 8314); `starttls`: required before anything else (RFC 3207); `none`: for a server on this machine. */
  readonly security: 'tls' | 'starttls' | 'none'
  readonly user?: string
  /** Never shown: see `redactedConfig`. */
  readonly password?: string
  readonly passwordFile?: string
  /** Address of the sender, e.g. `ads@publisher.example`. */
  readonly from: string
}

export interface NotificationSettings {
  /** Absent: no mail. */
  readonly smtp?: SmtpSettings
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i

/** What a schema cannot say: mail without encryption stays on this machine; a user has one password, from one place. */
export function notificationIssues({
  notifications: { smtp },
}: {
  readonly notifications: NotificationSettings
}): readonly Issue[] {
  if (!smtp) return []
  const issue = (name: string, message: string): Issue => ({ pointer: `/notifications/smtp/${name}`, message, keyword: 'smtp' })
  const given = [smtp.password, smtp.passwordFile].filter((each) => each !== undefined).length
  return [
    ...(smtp.security === 'none' && !LOOPBACK.test(smtp.host)
      ? [issue('security', 'is none, which is for a mail server on this machine alone; set tls or starttls')]
      : []),
    ...(given === 2 ? [issue('password', 'is given beside passwordFile; give one of them')] : []),
    ...(smtp.user !== undefined && given === 0 ? [issue('user', 'needs password or passwordFile')] : []),
  ]
}

/** The password as it is now: a file is read anew, so that it may be changed while the server runs. Throws when the file cannot be read. */
export function smtpPassword({ password, passwordFile }: SmtpSettings): string | undefined {
  return passwordFile === undefined ? password : readFileSync(passwordFile, 'utf8').trim()
}
