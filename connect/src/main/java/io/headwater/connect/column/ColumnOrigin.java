package io.headwater.connect.column;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A column of the record before all transforms; what became of it on the way. */
public final class ColumnOrigin {
    /** The key, the value or the headers. */
    public final String part;
    public final List<String> path;
    public final boolean isChanged;
    public final boolean isMasked;

    ColumnOrigin(String part, List<String> path, boolean isChanged, boolean isMasked) {
        this.part = part;
        this.path = path;
        this.isChanged = isChanged;
        this.isMasked = isMasked;
    }

    ColumnOrigin then(boolean isAlsoChanged, boolean isAlsoMasked) {
        return new ColumnOrigin(part, path, isChanged || isAlsoChanged, isMasked || isAlsoMasked);
    }

    ColumnOrigin below(List<String> rest) {
        List<String> longer = new ArrayList<>(path);
        longer.addAll(rest);
        return new ColumnOrigin(part, longer, isChanged, isMasked);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ColumnOrigin
            && part.equals(((ColumnOrigin) other).part)
            && path.equals(((ColumnOrigin) other).path)
            && isChanged == ((ColumnOrigin) other).isChanged
            && isMasked == ((ColumnOrigin) other).isMasked;
    }

    @Override
    public int hashCode() {
        return Objects.hash(part, path, isChanged, isMasked);
    }
}
