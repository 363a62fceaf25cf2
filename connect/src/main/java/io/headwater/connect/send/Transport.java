package io.headwater.connect.send;

import java.io.IOException;

/** Delivers events to a server. */
interface Transport {
    /** Sends one event and waits until it is accepted. */
    void send(String key, byte[] event) throws IOException, Refused;

    void close();

    /** The event will not be accepted, however often it is sent. */
    final class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        Refused(String message) {
            super(message);
        }
    }
}
