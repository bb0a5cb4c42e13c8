/** What is kept about somebody who is signed in. */
export interface Session {
  userId: string;
  csrfToken: string;
  lastSeen: number;
}

export type SessionListener = (session: Session) => void;

export const SESSION_LIFETIME_MS = 30 * 60 * 1000;

/** True when nobody has used the session for half an hour. */
export function isSessionExpired(session: Session, now: number): boolean {
  return now - session.lastSeen > SESSION_LIFETIME_MS;
}

/** Keeps sessions in memory; each request touches its own. */
export class SessionStore {
  private readonly sessions = new Map<string, Session>();
  private readonly listeners: SessionListener[] = [];

  /** Moves the time of last use forward, so that an active user stays signed in. */
  touch(id: string, now: number): Session | undefined {
    const session = this.sessions.get(id);
    if (session === undefined || isSessionExpired(session, now)) {
      return undefined;
    }
    session.lastSeen = now;
    return session;
  }

  /** Throws away what has expired and tells the listeners. */
  evictExpired(now: number): number {
    let evicted = 0;
    for (const [id, session] of this.sessions) {
      if (isSessionExpired(session, now)) {
        this.sessions.delete(id);
        this.listeners.forEach((listener) => listener(session));
        evicted += 1;
      }
    }
    return evicted;
  }
}
